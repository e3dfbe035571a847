"""Sends a message to an agent, answers what it asks permission for, and prints its answer.

Nothing but grpcio and the stubs that prepare.py generates from proto/. What happens meanwhile is
shown on standard error; the answer alone goes to standard output.
"""

import argparse
import json
import sys
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from toolgate.gateway.v1.session_pb2 import (
    AllowAnswer,
    DenyAnswer,
    PendingAnswer,
    PendingCall,
    PendingKind,
    StopReason,
)
from toolgate.gateway.v1.session_service_pb2 import (
    CreateSessionRequest,
    InterruptRequest,
    ResolveRequest,
    ResolveStatus,
    SendMessageRequest,
)
from toolgate.gateway.v1.session_service_pb2_grpc import SessionServiceStub
from toolgate.tool.v1.tool_result_pb2 import ContentBlock, TextBlock

from reply_events import Metadata, reply_events
from transcript import Transcript, one_line, say, visible

PROJECT = Path(__file__).resolve().parents[3]
EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

# A second answer to the same call changes nothing, so gRPC may repeat it after a lost connection.
RETRIES = {
    "methodConfig": [
        {
            "name": [{"service": "toolgate.gateway.v1.SessionService", "method": "Resolve"}],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.2s",
                "maxBackoff": "3s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}
CHANNEL_OPTIONS = (
    ("grpc.service_config", json.dumps(RETRIES)),
    # A connection that vanished without a word is noticed after this time.
    ("grpc.keepalive_time_ms", 20_000),
    # Events carry whole messages and results, which may be larger than gRPC's default of 4 MiB.
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)


def main() -> int:
    options = parse_options()
    metadata: Metadata = (("authorization", f"Bearer {options.token}"),)
    with open_channel(options.address) as channel:
        sessions = SessionServiceStub(channel)
        created = sessions.CreateSession(
            CreateSessionRequest(agent_name=options.agent), metadata=metadata
        )
        session_id = created.session.session_id
        say(f"session   {session_id} with agent {options.agent}")
        try:
            return follow_turn(sessions, session_id, options, metadata)
        except KeyboardInterrupt:
            sessions.Interrupt(
                InterruptRequest(session_id=session_id, reason="interrupted by the user"),
                metadata=metadata,
            )
            return EXIT_INTERRUPTED


def follow_turn(
    sessions: SessionServiceStub, session_id: str, options: argparse.Namespace, metadata: Metadata
) -> int:
    message = SendMessageRequest(
        session_id=session_id,
        content=[text_block(options.message), *options.files],
        request_id=str(uuid.uuid4()),
    )
    transcript = Transcript()
    for event in reply_events(sessions, message, metadata):
        transcript.show(event)
        if event.HasField("confirmation_required"):
            for call in event.confirmation_required.calls:
                if call.kind == PendingKind.PENDING_KIND_PERMISSION:
                    answer_call(sessions, session_id, call, options.yes, metadata)
    reply = event.reply_end.reply
    if reply.stop_reason != StopReason.STOP_REASON_COMPLETED:
        say(f"The reply ended with {StopReason.Name(reply.stop_reason)}: {one_line(reply.error)}")
        return EXIT_FAILED
    print(visible(transcript.answer.strip()))
    return 0


def answer_call(
    sessions: SessionServiceStub,
    session_id: str,
    call: PendingCall,
    always_allow: bool,
    metadata: Metadata,
) -> None:
    """Answers one call that waits, or leaves it to somebody else: the reply waits as long as it must."""
    say(f"asks      {call.tool_name} {visible(call.arguments_json)}")
    answer = allow(call) if always_allow else ask(call)
    if answer is None:
        say("waits     for somebody to answer: npm run toolgate -- approvals")
        return
    request = ResolveRequest(session_id=session_id, answers=[answer])
    try:
        # The connection may be just coming back.
        resolved = sessions.Resolve(request, metadata=metadata, wait_for_ready=True, timeout=60)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.PERMISSION_DENIED:
            raise
        say(f"waits     for somebody who may answer: {one_line(error.details() or '')}")
        return
    for result in resolved.results:
        if result.status != ResolveStatus.RESOLVE_STATUS_ACCEPTED:
            say(f"resolve   {ResolveStatus.Name(result.status)} {one_line(result.message)}")


def ask(call: PendingCall) -> PendingAnswer | None:
    """Asks the person at the terminal; None where there is none."""
    if not sys.stdin.isatty():
        return None
    say("Allow this call? y allows it once; anything else denies it and is told to the agent.")
    typed = input("> ").strip()
    if typed.lower() in ("y", "yes"):
        return allow(call)
    return PendingAnswer(call_id=call.call_id, deny=DenyAnswer(reason=typed))


def allow(call: PendingCall) -> PendingAnswer:
    return PendingAnswer(call_id=call.call_id, allow=AllowAnswer())


def text_block(text: str) -> ContentBlock:
    return ContentBlock(text=TextBlock(text=text))


def file_block(name: str) -> ContentBlock:
    return text_block(f"File {Path(name).name}:\n{file_text(name)}")


def file_text(name: str) -> str:
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"cannot read {name} as text: {error}") from error


def open_channel(address: str) -> grpc.Channel:
    url = urlsplit(address)
    if url.scheme == "https":
        return grpc.secure_channel(url.netloc, grpc.ssl_channel_credentials(), CHANNEL_OPTIONS)
    return grpc.insecure_channel(url.netloc, CHANNEL_OPTIONS)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Sends a message to an agent of a Toolgate gateway."
    )
    parser.add_argument("message", help="what to say")
    parser.add_argument(
        "--file",
        dest="files",
        metavar="FILE",
        type=file_block,
        action="append",
        default=[],
        help="text file to send along; may be given more than once",
    )
    parser.add_argument("--agent", default="analyst")
    parser.add_argument("--address", default="http://127.0.0.1:7420", help="of the gateway")
    parser.add_argument(
        "--token-file",
        dest="token",
        metavar="FILE",
        type=lambda name: file_text(name).strip(),
        default=str(PROJECT / ".toolgate" / "tokens" / "owner.token"),
        help="file with the token; it needs the scope approve to answer permission requests",
    )
    parser.add_argument("--yes", action="store_true", help="allow every call that asks")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except grpc.RpcError as error:
        sys.exit(f"The gateway answered {error.code().name}: {error.details()}")
