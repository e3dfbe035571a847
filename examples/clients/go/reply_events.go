package main

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	gatewayv1 "toolgate.example/stubs/toolgate/gateway/v1"
)

const (
	firstPause   = 200 * time.Millisecond
	longestPause = 3 * time.Second
	// A gateway that restarts is back well within this time.
	patience = time.Minute
)

// followReply sends the message and hands over every event of its reply, each exactly once and in
// order, also when the connection breaks on the way.
//
// The reply runs in the gateway and does not notice who listens. The message carries a request id,
// so sending it again starts nothing twice.
func followReply(
	ctx context.Context,
	sessions gatewayv1.SessionServiceClient,
	message *gatewayv1.SendMessageRequest,
	handle func(*gatewayv1.Event) error,
) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	var replyID string
	var sequence uint64
	pause, connectedAt := firstPause, time.Now()
	for {
		next, err := openStream(ctx, sessions, message, sequence)
		for err == nil {
			var event *gatewayv1.Event
			if event, err = next(); event == nil {
				continue
			}
			pause, connectedAt = firstPause, time.Now()
			sequence = event.Sequence
			if replyID == "" {
				replyID = event.ReplyId
			}
			if event.ReplyId != replyID {
				continue
			}
			if err := handle(event); err != nil || event.GetReplyEnd() != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("the session was deleted before its reply ended")
		case status.Code(err) != codes.Unavailable, time.Since(connectedAt) > patience:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(pause*2, longestPause)
	}
}

// openStream opens the events after a sequence number: before the first one, by sending the message.
// What it returns yields one event a call, or nil for a sign of life.
func openStream(
	ctx context.Context,
	sessions gatewayv1.SessionServiceClient,
	message *gatewayv1.SendMessageRequest,
	sequence uint64,
) (func() (*gatewayv1.Event, error), error) {
	if sequence == 0 {
		stream, err := sessions.SendMessage(ctx, message)
		return func() (*gatewayv1.Event, error) {
			sent, err := stream.Recv()
			return sent.GetEvent(), err
		}, err
	}
	stream, err := sessions.WatchSession(ctx, &gatewayv1.WatchSessionRequest{
		SessionId:     message.SessionId,
		AfterSequence: sequence,
	})
	return func() (*gatewayv1.Event, error) {
		watched, err := stream.Recv()
		return watched.GetEvent(), err
	}, err
}
