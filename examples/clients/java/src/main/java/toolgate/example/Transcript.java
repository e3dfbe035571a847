package toolgate.example;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import toolgate.gateway.v1.EventOuterClass.Event;
import toolgate.gateway.v1.EventOuterClass.ToolCallEnd;
import toolgate.tool.v1.ToolResultOuterClass.ContentBlock;
import toolgate.tool.v1.ToolResultOuterClass.OutcomeReason;
import toolgate.tool.v1.ToolResultOuterClass.ToolResult;

/** Shows the events of a reply to a person and keeps the answer. */
final class Transcript {
  private static final int LONGEST_LINE = 300;
  private static final Pattern UNSEEN = Pattern.compile("(?!\n)[\\p{C}\\p{Zl}\\p{Zp}]");
  // Whatever the locale is: the streams of Java 17 write nothing but ASCII where none is set.
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final PrintStream ERR = new PrintStream(System.err, true, StandardCharsets.UTF_8);

  private final StringBuilder said = new StringBuilder();

  /** What the model said since it was last asked: the answer, once the reply has ended. */
  String answer() {
    return said.toString();
  }

  /** Writes what a person wants to know of an event to standard error. */
  void show(Event event) {
    switch (event.getEventCase()) {
      case MODEL_CALL_START -> said.setLength(0);
      case TEXT_BLOCK_DELTA -> said.append(event.getTextBlockDelta().getText());
      case TEXT_BLOCK_END -> say("agent     " + oneLine(answer()));
      case TOOL_CALL_START -> {
        var call = event.getToolCallStart();
        say("call      " + visible(call.getToolName()) + " " + oneLine(call.getArgumentsText()));
      }
      case TOOL_CALL_DECIDED -> {
        var decision = event.getToolCallDecided().getDecision();
        String behavior = decision.getBehavior().name().replace("PERMISSION_BEHAVIOR_", "");
        say("decision  " + behavior + ": " + oneLine(decision.getReason()));
      }
      case CONFIRMATION_ANSWERED ->
          say("answered  by " + oneLine(event.getConfirmationAnswered().getApprover()));
      case TOOL_RESULT_END ->
          say("result    " + oneLine(textOf(event.getToolResultEnd().getResult())));
      case TOOL_CALL_END -> say("outcome   " + outcomeOf(event.getToolCallEnd()));
      default -> {}
    }
  }

  static void say(String text) {
    ERR.println(text);
  }

  static void print(String answer) {
    OUT.println(visible(answer.strip()));
  }

  /** Escapes control, bidirectional and zero-width characters: models and tools write this text. */
  static String visible(String text) {
    return UNSEEN
        .matcher(text)
        .replaceAll(unseen -> "\\\\u{" + Integer.toHexString(unseen.group().codePointAt(0)) + "}");
  }

  /** The same on one line, cut where it is long. */
  static String oneLine(String text) {
    String line = visible(text.strip().replace("\n", " ⏎ "));
    return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE - 1) + "…";
  }

  private static String outcomeOf(ToolCallEnd end) {
    String outcome = end.getOutcome().name().replace("OUTCOME_", "");
    boolean isPlain = end.getReason() == OutcomeReason.OUTCOME_REASON_UNSPECIFIED;
    return isPlain ? outcome : outcome + " (" + end.getReason() + ")";
  }

  private static String textOf(ToolResult result) {
    return result.getContentList().stream()
        .filter(ContentBlock::hasText)
        .map(block -> block.getText().getText())
        .collect(Collectors.joining("\n"));
  }
}
