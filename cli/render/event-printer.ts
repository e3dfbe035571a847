import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type ConfirmationAnswered,
  type Event,
  type ModelCallEnd,
  ModelFinish,
} from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type Reply, ReplyKind, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { approvalPanel } from './approval-panel.ts';
import { readableMs } from './call-lines.ts';
import { createCallPrinter } from './call-printer.ts';
import { escapeForTerminal, escapeToOneLine } from './escape-untrusted.ts';
import { createLineSheet } from './line-sheet.ts';
import { stopReasonText } from './outcome-text.ts';
import { ruleText } from './rule-text.ts';
import type { TextStyle } from './text-style.ts';

/** Prints one event after the other. */
export interface EventPrinter {
  print(event: Event): void;
  /** Ends the running line, so that something else can be written below. */
  endLine(): void;
}

type KnownEvent = Exclude<Event['event'], { case: undefined }>;
type EventHandler<Value> = (value: Value, event: Event) => void;
/** What is printed for each kind of event; kinds without an entry show nothing. */
type EventHandlers = { readonly [Kind in KnownEvent as Kind['case']]?: EventHandler<Kind['value']> };

/** A printer for people: text runs as it comes, everything else is a line. */
export function createEventPrinter(options: {
  readonly write: (text: string) => void;
  readonly style: TextStyle;
}): EventPrinter {
  const { style } = options;
  const sheet = createLineSheet(options.write);
  const calls = createCallPrinter(sheet, style);
  const note = (text: string): void => sheet.line(style('yellow', text));
  let replyStart: Timestamp | undefined;
  let modelError = '';
  const handlers: EventHandlers = {
    replyStart: (_value, { time }) => {
      replyStart = time;
    },
    replyEnd: ({ reply }, { time }) => {
      // The end of the call has said it all.
      if (reply?.kind === ReplyKind.DIRECT_CALL && reply.stopReason === StopReason.COMPLETED) return;
      const error = reply?.error === modelError ? '' : (reply?.error ?? '');
      sheet.line(replyLine(reply, error, elapsedMs(replyStart, time), style));
    },
    modelCallEnd: value => {
      modelError = value.error;
      modelProblem(value, note);
    },
    textBlockDelta: ({ text }) => sheet.flow(escapeForTerminal(text)),
    textBlockEnd: () => sheet.endLine(),
    thinkingBlockStart: () => sheet.flow(style('dim', '(thinking) ')),
    thinkingBlockDelta: ({ text }) => sheet.flow(style('dim', escapeForTerminal(text))),
    thinkingBlockEnd: () => sheet.endLine(),
    toolCallStart: calls.start,
    toolCallDecided: calls.decided,
    toolResultTextDelta: calls.output,
    toolResultDataDelta: calls.bytes,
    toolProgress: calls.progress,
    toolResultEnd: calls.result,
    toolCallEnd: calls.end,
    confirmationRequired: value => {
      for (const call of value.calls) sheet.line(approvalPanel(call, style).trimEnd());
    },
    confirmationAnswered: value => sheet.line(`  ${answerLine(value, style)}`),
    externalExecutionRequired: ({ calls: waiting }) =>
      note(`${waiting.length} calls wait for a client that runs them`),
    questionRequired: ({ call }) => note(`a call asks: ${escapeToOneLine(call?.question ?? '')}`),
    iterationsExceeded: ({ maxIterations }) =>
      note(`the reply reached its limit of ${maxIterations} model calls`),
    stopRequested: ({ requestedBy }) => note(`${escapeToOneLine(requestedBy)} asked the reply to stop`),
    allToolsDenied: () => note('every call of this answer was denied'),
    hint: ({ text }) => sheet.line(style('dim', `hint to the model: ${escapeToOneLine(text)}`)),
  };
  return {
    print: event => {
      if (event.event.case === undefined) return;
      const handle = handlers[event.event.case] as EventHandler<unknown> | undefined;
      handle?.(event.event.value, event);
    },
    endLine: sheet.endLine,
  };
}

function modelProblem(end: ModelCallEnd, note: (text: string) => void): void {
  if (end.finish === ModelFinish.LENGTH) note("the model's answer was cut by its length limit");
  else if (end.finish === ModelFinish.CONTENT_FILTER) note('the provider refused the content');
  else if (end.finish === ModelFinish.ERROR) note(`the model broke off: ${escapeToOneLine(end.error)}`);
}

function replyLine(
  reply: Reply | undefined,
  error: string,
  ms: number | undefined,
  style: TextStyle,
): string {
  const reason = reply?.stopReason ?? StopReason.UNSPECIFIED;
  const text = [
    `Reply ${stopReasonText(reason)}`,
    ...(error === '' ? [] : [escapeToOneLine(error)]),
    ...(reply !== undefined && reply.iterations > 0 ? [`${reply.iterations} model calls`] : []),
    ...(ms === undefined ? [] : [readableMs(ms)]),
  ].join(', ');
  return style(reason === StopReason.COMPLETED ? 'green' : 'red', `■ ${text}`);
}

function answerLine(answered: ConfirmationAnswered, style: TextStyle): string {
  const who = escapeToOneLine(answered.approver);
  const answer = answered.answer?.answer;
  if (answer?.case === 'deny') {
    const reason = answer.value.reason === '' ? '' : `: ${escapeToOneLine(answer.value.reason)}`;
    return `${style('red', `denied by ${who}`)}${reason}`;
  }
  const edited = answer?.case === 'allow' && answer.value.editedArgumentsJson !== '' ? ' with changes' : '';
  const remembered =
    answered.remembered === undefined ? '' : `, from now on ${ruleText(answered.remembered)} is allowed`;
  return style('green', `approved by ${who}${edited}${remembered}`);
}

function elapsedMs(from: Timestamp | undefined, to: Timestamp | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : timestampMs(to) - timestampMs(from);
}
