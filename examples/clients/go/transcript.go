package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"

	gatewayv1 "toolgate.example/stubs/toolgate/gateway/v1"
	toolv1 "toolgate.example/stubs/toolgate/tool/v1"
)

const longestLine = 300

// transcript shows the events of a reply to a person and keeps the answer.
type transcript struct {
	// What the model said since it was last asked: the answer, once the reply has ended.
	answer string
}

// show writes what a person wants to know of an event to standard error.
func (transcript *transcript) show(event *gatewayv1.Event) {
	switch body := event.Event.(type) {
	case *gatewayv1.Event_ModelCallStart:
		transcript.answer = ""
	case *gatewayv1.Event_TextBlockDelta:
		transcript.answer += body.TextBlockDelta.Text
	case *gatewayv1.Event_TextBlockEnd:
		say("agent     %s", oneLine(transcript.answer))
	case *gatewayv1.Event_ToolCallStart:
		say("call      %s %s", visible(body.ToolCallStart.ToolName), oneLine(body.ToolCallStart.ArgumentsText))
	case *gatewayv1.Event_ToolCallDecided:
		decision := body.ToolCallDecided.Decision
		say("decision  %s: %s", strings.TrimPrefix(decision.GetBehavior().String(), "PERMISSION_BEHAVIOR_"), oneLine(decision.GetReason()))
	case *gatewayv1.Event_ConfirmationAnswered:
		say("answered  by %s", oneLine(body.ConfirmationAnswered.Approver))
	case *gatewayv1.Event_ToolResultEnd:
		say("result    %s", oneLine(textOf(body.ToolResultEnd.Result)))
	case *gatewayv1.Event_ToolCallEnd:
		reason := ""
		if body.ToolCallEnd.Reason != toolv1.OutcomeReason_OUTCOME_REASON_UNSPECIFIED {
			reason = fmt.Sprintf(" (%v)", body.ToolCallEnd.Reason)
		}
		say("outcome   %s%s", strings.TrimPrefix(body.ToolCallEnd.Outcome.String(), "OUTCOME_"), reason)
	}
}

func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
}

// visible escapes control, bidirectional and zero-width characters: models and tools write this text.
func visible(text string) string {
	var shown strings.Builder
	for _, character := range text {
		if unicode.IsPrint(character) || character == '\n' {
			shown.WriteRune(character)
		} else {
			shown.WriteString(strings.Trim(strconv.QuoteRuneToASCII(character), "'"))
		}
	}
	return shown.String()
}

func oneLine(text string) string {
	line := []rune(visible(strings.ReplaceAll(strings.TrimSpace(text), "\n", " ⏎ ")))
	if len(line) > longestLine {
		return string(line[:longestLine-1]) + "…"
	}
	return string(line)
}

func textOf(result *toolv1.ToolResult) string {
	var texts []string
	for _, block := range result.GetContent() {
		if text := block.GetText(); text != nil {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
