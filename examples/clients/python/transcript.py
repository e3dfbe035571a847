"""Shows the events of a reply to a person and keeps the answer."""

import sys

from toolgate.gateway.v1.event_pb2 import Event
from toolgate.tool.v1.tool_result_pb2 import Outcome, OutcomeReason, ToolResult
from toolgate.tool.v1.tool_spec_pb2 import PermissionBehavior

LONGEST_LINE = 300


class Transcript:
    """What has been said and done in a reply so far."""

    def __init__(self) -> None:
        # What the model said since it was last asked: the answer, once the reply has ended.
        self.answer = ""

    def show(self, event: Event) -> None:
        """Writes what a person wants to know of an event to standard error."""
        match event.WhichOneof("event"):
            case "model_call_start":
                self.answer = ""
            case "text_block_delta":
                self.answer += event.text_block_delta.text
            case "text_block_end":
                say(f"agent     {one_line(self.answer)}")
            case "tool_call_start":
                call = event.tool_call_start
                say(f"call      {call.tool_name} {one_line(call.arguments_text)}")
            case "tool_call_decided":
                decision = event.tool_call_decided.decision
                behavior = PermissionBehavior.Name(decision.behavior).removeprefix("PERMISSION_BEHAVIOR_")
                say(f"decision  {behavior}: {one_line(decision.reason)}")
            case "confirmation_answered":
                say(f"answered  by {one_line(event.confirmation_answered.approver)}")
            case "tool_result_end":
                say(f"result    {one_line(text_of(event.tool_result_end.result))}")
            case "tool_call_end":
                end = event.tool_call_end
                reason = f" ({OutcomeReason.Name(end.reason)})" if end.reason else ""
                outcome = Outcome.Name(end.outcome).removeprefix("OUTCOME_")
                say(f"outcome   {outcome}{reason}")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def visible(text: str) -> str:
    """Escapes control, bidirectional and zero-width characters: models and tools write this text."""
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in text
    )


def one_line(text: str) -> str:
    line = visible(" ⏎ ".join(text.strip().splitlines()))
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def text_of(result: ToolResult) -> str:
    return "\n".join(block.text.text for block in result.content if block.HasField("text"))
