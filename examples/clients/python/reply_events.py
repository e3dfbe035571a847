"""Follows one reply of an agent to its end, also when the connection breaks on the way."""

import time
from collections.abc import Iterator

import grpc
from toolgate.gateway.v1.event_pb2 import Event
from toolgate.gateway.v1.session_service_pb2 import SendMessageRequest, WatchSessionRequest
from toolgate.gateway.v1.session_service_pb2_grpc import SessionServiceStub

Metadata = tuple[tuple[str, str], ...]

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 3.0
# A gateway that restarts is back well within this time.
PATIENCE_SECONDS = 60.0


def reply_events(
    sessions: SessionServiceStub, message: SendMessageRequest, metadata: Metadata
) -> Iterator[Event]:
    """Sends the message and yields every event of its reply, each exactly once and in order.

    The reply runs in the gateway and does not notice who listens. The message carries a
    request_id, so sending it again starts nothing twice.
    """
    reply_id = ""
    sequence = 0
    pause = FIRST_PAUSE_SECONDS
    lost_at: float | None = None
    while True:
        try:
            for event in open_stream(sessions, message, sequence, metadata):
                lost_at, pause = None, FIRST_PAUSE_SECONDS
                sequence = event.sequence
                reply_id = reply_id or event.reply_id
                if event.reply_id != reply_id:
                    continue
                yield event
                if event.WhichOneof("event") == "reply_end":
                    return
            raise RuntimeError("the session was deleted before its reply ended")
        except grpc.RpcError as error:
            now = time.monotonic()
            lost_at = lost_at or now
            if error.code() != grpc.StatusCode.UNAVAILABLE or now - lost_at > PATIENCE_SECONDS:
                raise
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


def open_stream(
    sessions: SessionServiceStub, message: SendMessageRequest, sequence: int, metadata: Metadata
) -> Iterator[Event]:
    """The events after a sequence number: before the first one, by sending the message."""
    if sequence == 0:
        for sent in sessions.SendMessage(message, metadata=metadata):
            yield sent.event
        return
    watch = WatchSessionRequest(session_id=message.session_id, after_sequence=sequence)
    for watched in sessions.WatchSession(watch, metadata=metadata):
        if watched.HasField("event"):
            yield watched.event
