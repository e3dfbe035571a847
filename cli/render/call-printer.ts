import type {
  ToolCallDecided,
  ToolCallEnd,
  ToolCallStart,
  ToolProgress,
  ToolResultDataDelta,
  ToolResultEnd,
  ToolResultTextDelta,
} from '#gen/toolgate/gateway/v1/event_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { callSummary, decisionLine, outcomeLine, resultLines } from './call-lines.ts';
import { escapeForTerminal, escapeToOneLine } from './escape-untrusted.ts';
import type { LineSheet } from './line-sheet.ts';
import type { TextStyle } from './text-style.ts';

/** Prints what happens to calls. While several are open, each line says which one it belongs to. */
export interface CallPrinter {
  start(event: ToolCallStart): void;
  decided(event: ToolCallDecided): void;
  output(event: ToolResultTextDelta): void;
  bytes(event: ToolResultDataDelta): void;
  progress(event: ToolProgress): void;
  result(event: ToolResultEnd): void;
  end(event: ToolCallEnd): void;
}

interface OpenCall {
  readonly label: string;
  hasOutput: boolean;
  /** Output after the last line end, by stream. */
  readonly unfinished: Map<number, string>;
}

/** A printer of calls onto a sheet. */
export function createCallPrinter(sheet: LineSheet, style: TextStyle): CallPrinter {
  const open = new Map<string, OpenCall>();
  let count = 0;
  const callOf = (callId: string): OpenCall => {
    const known = open.get(callId);
    if (known !== undefined) return known;
    const call: OpenCall = { label: callId, hasOutput: false, unfinished: new Map() };
    open.set(callId, call);
    return call;
  };
  const line = (call: OpenCall, text: string): void =>
    sheet.line(`  ${open.size > 1 ? `${style('dim', call.label)} ` : ''}${text}`);
  const outputLine = (call: OpenCall, text: string): void =>
    line(call, `${style('dim', '│')} ${escapeForTerminal(text)}`);
  const flush = (call: OpenCall): void => {
    for (const rest of call.unfinished.values()) if (rest !== '') outputLine(call, rest);
    call.unfinished.clear();
  };
  return {
    start: event => {
      count += 1;
      const label = `${escapeToOneLine(event.toolName)} #${count}`;
      open.set(event.callId, { label, hasOutput: false, unfinished: new Map() });
      const number = open.size > 1 ? style('dim', ` #${count}`) : '';
      sheet.line(`${style('cyan', '●')} ${callSummary(event.toolName, event.argumentsText, style)}${number}`);
    },
    decided: event => {
      const text = decisionLine(event, style);
      if (text !== undefined) line(callOf(event.callId), text);
    },
    output: event => {
      const call = callOf(event.callId);
      call.hasOutput = true;
      const lines = `${call.unfinished.get(event.stream) ?? ''}${event.text}`.split('\n');
      call.unfinished.set(event.stream, lines.pop() ?? '');
      for (const text of lines) outputLine(call, text.replace(/\r$/, ''));
    },
    bytes: event => {
      const call = callOf(event.callId);
      call.hasOutput = true;
      line(call, style('dim', `│ ${event.data.length} bytes that are no text`));
    },
    progress: event => {
      const { current = 0, total = 0, message = '' } = event.progress ?? {};
      const share = total > 0 ? ` (${Math.round((current / total) * 100)} %)` : '';
      line(callOf(event.callId), style('dim', `… ${escapeToOneLine(message)}${share}`));
    },
    result: event => {
      const call = callOf(event.callId);
      flush(call);
      const { result } = event;
      if (result === undefined || call.hasOutput || result.outcome === Outcome.DENIED) return;
      for (const text of resultLines(result, style)) line(call, `${style('dim', '│')} ${text}`);
    },
    end: event => {
      const call = callOf(event.callId);
      flush(call);
      line(call, outcomeLine(event, style));
      open.delete(event.callId);
    },
  };
}
