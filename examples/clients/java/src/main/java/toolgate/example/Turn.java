package toolgate.example;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.Console;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import toolgate.gateway.v1.EventOuterClass.Event;
import toolgate.gateway.v1.SessionOuterClass.AllowAnswer;
import toolgate.gateway.v1.SessionOuterClass.DenyAnswer;
import toolgate.gateway.v1.SessionOuterClass.PendingAnswer;
import toolgate.gateway.v1.SessionOuterClass.PendingCall;
import toolgate.gateway.v1.SessionOuterClass.PendingKind;
import toolgate.gateway.v1.SessionOuterClass.Reply;
import toolgate.gateway.v1.SessionOuterClass.StopReason;
import toolgate.gateway.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import toolgate.gateway.v1.SessionServiceOuterClass.CreateSessionRequest;
import toolgate.gateway.v1.SessionServiceOuterClass.InterruptRequest;
import toolgate.gateway.v1.SessionServiceOuterClass.ResolveRequest;
import toolgate.gateway.v1.SessionServiceOuterClass.ResolveResult;
import toolgate.gateway.v1.SessionServiceOuterClass.ResolveStatus;
import toolgate.gateway.v1.SessionServiceOuterClass.SendMessageRequest;
import toolgate.tool.v1.ToolResultOuterClass.ContentBlock;
import toolgate.tool.v1.ToolResultOuterClass.TextBlock;

/** One message to an agent and what follows from it. */
final class Turn {
  private final SessionServiceBlockingStub sessions;
  private final String sessionId;
  private final boolean alwaysAllow;
  private volatile boolean isRunning = true;

  private Turn(SessionServiceBlockingStub sessions, String sessionId, boolean alwaysAllow) {
    this.sessions = sessions;
    this.sessionId = sessionId;
    this.alwaysAllow = alwaysAllow;
  }

  /** Creates a session, sends the message, and returns the answer of the agent. */
  static String run(SessionServiceBlockingStub sessions, Options options) {
    var agent = CreateSessionRequest.newBuilder().setAgentName(options.agent()).build();
    String sessionId = sessions.createSession(agent).getSession().getSessionId();
    Transcript.say("session   %s with agent %s".formatted(sessionId, options.agent()));
    Turn turn = new Turn(sessions, sessionId, options.yes());
    // The machine ends on Ctrl-C with exit code 130, once its hooks are done.
    Runtime.getRuntime().addShutdownHook(new Thread(turn::interruptWhatRuns));
    try {
      return turn.follow(options);
    } finally {
      turn.isRunning = false;
    }
  }

  private void interruptWhatRuns() {
    if (!isRunning) {
      return;
    }
    sessions.interrupt(
        InterruptRequest.newBuilder()
            .setSessionId(sessionId)
            .setReason("interrupted by the user")
            .build());
  }

  private String follow(Options options) {
    var message =
        SendMessageRequest.newBuilder()
            .setSessionId(sessionId)
            .setRequestId(UUID.randomUUID().toString());
    for (String text : options.texts()) {
      message.addContent(ContentBlock.newBuilder().setText(TextBlock.newBuilder().setText(text)));
    }
    Transcript transcript = new Transcript();
    ReplyEvents events = new ReplyEvents(sessions, message.build());
    Event event;
    do {
      event = events.next();
      transcript.show(event);
      for (PendingCall call : event.getConfirmationRequired().getCallsList()) {
        if (call.getKind() == PendingKind.PENDING_KIND_PERMISSION) {
          answer(call);
        }
      }
    } while (!event.hasReplyEnd());
    Reply reply = event.getReplyEnd().getReply();
    if (reply.getStopReason() != StopReason.STOP_REASON_COMPLETED) {
      throw new FailedReply(
          "The reply ended with %s: %s".formatted(reply.getStopReason(), reply.getError()));
    }
    return transcript.answer();
  }

  /** Answers one call that waits, or leaves it to somebody else: the reply waits as long as it must. */
  private void answer(PendingCall call) {
    Transcript.say(
        "asks      %s %s"
            .formatted(call.getToolName(), Transcript.visible(call.getArgumentsJson())));
    PendingAnswer answer = alwaysAllow ? allow(call) : ask(call);
    if (answer == null) {
      Transcript.say("waits     for somebody to answer: npm run toolgate -- approvals");
      return;
    }
    var request = ResolveRequest.newBuilder().setSessionId(sessionId).addAnswers(answer).build();
    try {
      // The connection may be just coming back.
      var ready = sessions.withWaitForReady().withDeadlineAfter(60, TimeUnit.SECONDS);
      for (ResolveResult result : ready.resolve(request).getResultsList()) {
        if (result.getStatus() != ResolveStatus.RESOLVE_STATUS_ACCEPTED) {
          String text = Transcript.oneLine(result.getMessage());
          Transcript.say("resolve   %s %s".formatted(result.getStatus(), text));
        }
      }
    } catch (StatusRuntimeException error) {
      if (error.getStatus().getCode() != Status.Code.PERMISSION_DENIED) {
        throw error;
      }
      String text = String.valueOf(error.getStatus().getDescription());
      Transcript.say("waits     for somebody who may answer: " + Transcript.oneLine(text));
    }
  }

  /** Asks the person at the terminal; null where there is none. */
  private static PendingAnswer ask(PendingCall call) {
    Console console = System.console();
    if (console == null) {
      return null;
    }
    Transcript.say(
        "Allow this call? y allows it once; anything else denies it and is told to the agent.");
    String typed = console.readLine("> ");
    if (typed == null) {
      return null;
    }
    if (typed.strip().matches("(?i)y(es)?")) {
      return allow(call);
    }
    return PendingAnswer.newBuilder()
        .setCallId(call.getCallId())
        .setDeny(DenyAnswer.newBuilder().setReason(typed.strip()))
        .build();
  }

  private static PendingAnswer allow(PendingCall call) {
    return PendingAnswer.newBuilder()
        .setCallId(call.getCallId())
        .setAllow(AllowAnswer.getDefaultInstance())
        .build();
  }
}
