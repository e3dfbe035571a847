package toolgate.example;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.Spliterators;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import toolgate.gateway.v1.EventOuterClass.Event;
import toolgate.gateway.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import toolgate.gateway.v1.SessionServiceOuterClass.SendMessageRequest;
import toolgate.gateway.v1.SessionServiceOuterClass.SendMessageResponse;
import toolgate.gateway.v1.SessionServiceOuterClass.WatchSessionRequest;
import toolgate.gateway.v1.SessionServiceOuterClass.WatchSessionResponse;

/**
 * The events of the reply to one message, each exactly once and in order, also when the connection
 * breaks on the way.
 *
 * <p>The reply runs in the gateway and does not notice who listens. The message carries a request
 * id, so sending it again starts nothing twice. A stream is left by closing its channel.
 */
final class ReplyEvents {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);
  // A gateway that restarts is back well within this time.
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SessionServiceBlockingStub sessions;
  private final SendMessageRequest message;
  private Iterator<Event> stream;
  private String replyId = "";
  private long sequence = 0;
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private long connectedAt = System.nanoTime();

  ReplyEvents(SessionServiceBlockingStub sessions, SendMessageRequest message) {
    this.sessions = sessions;
    this.message = message;
  }

  /** Waits for the next event; the first call sends the message. */
  Event next() {
    while (true) {
      try {
        if (stream == null) {
          stream = openStream();
        }
        while (stream.hasNext()) {
          Event event = stream.next();
          pauseNanos = FIRST_PAUSE_NANOS;
          connectedAt = System.nanoTime();
          sequence = event.getSequence();
          if (replyId.isEmpty()) {
            replyId = event.getReplyId();
          }
          if (event.getReplyId().equals(replyId)) {
            return event;
          }
        }
        throw new FailedReply("The session was deleted before its reply ended");
      } catch (StatusRuntimeException error) {
        stream = null;
        pauseAfter(error);
      }
    }
  }

  /** The events after a sequence number: before the first one, by sending the message. */
  private Iterator<Event> openStream() {
    if (sequence == 0) {
      return streamOf(sessions.sendMessage(message)).map(SendMessageResponse::getEvent).iterator();
    }
    var watch =
        WatchSessionRequest.newBuilder()
            .setSessionId(message.getSessionId())
            .setAfterSequence(sequence)
            .build();
    return streamOf(sessions.watchSession(watch))
        .filter(WatchSessionResponse::hasEvent)
        .map(WatchSessionResponse::getEvent)
        .iterator();
  }

  private void pauseAfter(StatusRuntimeException error) {
    boolean isLoss = error.getStatus().getCode() == Status.Code.UNAVAILABLE;
    if (!isLoss || System.nanoTime() - connectedAt > PATIENCE_NANOS) {
      throw error;
    }
    LockSupport.parkNanos(pauseNanos);
    pauseNanos = Math.min(pauseNanos * 2, LONGEST_PAUSE_NANOS);
  }

  private static <T> Stream<T> streamOf(Iterator<T> iterator) {
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator, 0), false);
  }
}
