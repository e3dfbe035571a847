package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	gatewayv1 "toolgate.example/stubs/toolgate/gateway/v1"
	toolv1 "toolgate.example/stubs/toolgate/tool/v1"
)

// turn is one message to an agent and what follows from it.
type turn struct {
	sessions  gatewayv1.SessionServiceClient
	sessionID string
	yes       bool
	input     *bufio.Reader
}

// runTurn creates a session, sends the message, and returns the answer of the agent.
func runTurn(ctx context.Context, connection *grpc.ClientConn, options options) (string, error) {
	sessions := gatewayv1.NewSessionServiceClient(connection)
	created, err := sessions.CreateSession(ctx, &gatewayv1.CreateSessionRequest{
		Agent: &gatewayv1.CreateSessionRequest_AgentName{AgentName: options.agent},
	})
	if err != nil {
		return "", err
	}
	turn := &turn{sessions, created.Session.SessionId, options.yes, bufio.NewReader(os.Stdin)}
	say("session   %s with agent %s", turn.sessionID, options.agent)
	answer, err := turn.follow(ctx, append([]string{options.message}, options.files...))
	if ctx.Err() != nil {
		interrupt := &gatewayv1.InterruptRequest{SessionId: turn.sessionID, Reason: "interrupted by the user"}
		_, err = sessions.Interrupt(context.WithoutCancel(ctx), interrupt)
	}
	return answer, err
}

func (turn *turn) follow(ctx context.Context, texts []string) (string, error) {
	message := &gatewayv1.SendMessageRequest{SessionId: turn.sessionID, RequestId: rand.Text()}
	for _, text := range texts {
		message.Content = append(message.Content, textBlock(text))
	}
	var transcript transcript
	var reply *gatewayv1.Reply
	err := followReply(ctx, turn.sessions, message, func(event *gatewayv1.Event) error {
		transcript.show(event)
		reply = event.GetReplyEnd().GetReply()
		for _, call := range event.GetConfirmationRequired().GetCalls() {
			if call.Kind != gatewayv1.PendingKind_PENDING_KIND_PERMISSION {
				continue
			}
			if err := turn.answer(ctx, call); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && reply.GetStopReason() != gatewayv1.StopReason_STOP_REASON_COMPLETED {
		err = fmt.Errorf("the reply ended with %v: %s", reply.GetStopReason(), reply.GetError())
	}
	return transcript.answer, err
}

// answer answers one call that waits, or leaves it to somebody else: the reply waits as long as it must.
func (turn *turn) answer(ctx context.Context, call *gatewayv1.PendingCall) error {
	say("asks      %s %s", call.ToolName, visible(call.ArgumentsJson))
	answer := allow(call)
	if !turn.yes {
		answer = turn.ask(ctx, call)
	}
	if answer == nil {
		say("waits     for somebody to answer: npm run toolgate -- approvals")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	request := &gatewayv1.ResolveRequest{SessionId: turn.sessionID, Answers: []*gatewayv1.PendingAnswer{answer}}
	// The connection may be just coming back.
	resolved, err := turn.sessions.Resolve(ctx, request, grpc.WaitForReady(true))
	if status.Code(err) == codes.PermissionDenied {
		say("waits     for somebody who may answer: %s", oneLine(status.Convert(err).Message()))
		return nil
	}
	for _, result := range resolved.GetResults() {
		if result.Status != gatewayv1.ResolveStatus_RESOLVE_STATUS_ACCEPTED {
			say("resolve   %v %s", result.Status, oneLine(result.Message))
		}
	}
	return err
}

// ask asks the person at the terminal; nil where there is none.
func (turn *turn) ask(ctx context.Context, call *gatewayv1.PendingCall) *gatewayv1.PendingAnswer {
	if stdin, err := os.Stdin.Stat(); err != nil || stdin.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	say("Allow this call? y allows it once; anything else denies it and is told to the agent.")
	fmt.Fprint(os.Stderr, "> ")
	typed := make(chan string, 1)
	go func() {
		line, err := turn.input.ReadString('\n')
		if err == nil {
			typed <- strings.TrimSpace(line)
		}
		close(typed)
	}()
	select {
	case <-ctx.Done():
		return nil
	case line, ok := <-typed:
		switch {
		case !ok:
			return nil
		case strings.EqualFold(line, "y"), strings.EqualFold(line, "yes"):
			return allow(call)
		}
		return &gatewayv1.PendingAnswer{
			CallId: call.CallId,
			Answer: &gatewayv1.PendingAnswer_Deny{Deny: &gatewayv1.DenyAnswer{Reason: line}},
		}
	}
}

func allow(call *gatewayv1.PendingCall) *gatewayv1.PendingAnswer {
	return &gatewayv1.PendingAnswer{
		CallId: call.CallId,
		Answer: &gatewayv1.PendingAnswer_Allow{Allow: &gatewayv1.AllowAnswer{}},
	}
}

func textBlock(text string) *toolv1.ContentBlock {
	return &toolv1.ContentBlock{Block: &toolv1.ContentBlock_Text{Text: &toolv1.TextBlock{Text: text}}}
}
