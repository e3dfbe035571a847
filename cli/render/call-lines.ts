import type { ToolCallDecided, ToolCallEnd } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { type Decision, DecisionStage } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { msFromDuration } from '#kit/durations.ts';
import { escapeForTerminal, escapeToOneLine } from './escape-untrusted.ts';
import { jsonMembers } from './json-members.ts';
import { outcomeText, stageText } from './outcome-text.ts';
import { ruleSourceText, ruleText } from './rule-text.ts';
import type { TextStyle } from './text-style.ts';

/** Longest piece of an argument in a summary. */
const VALUE_LIMIT_CHARS = 70;
/** Lines of a result that had no live output. */
const RESULT_LIMIT_LINES = 12;

/** A call on one line. Long arguments are cut here: the whole ones are in approvals and in --json. */
export function callSummary(toolName: string, argumentsText: string, style: TextStyle): string {
  const name = style(['cyan', 'bold'], escapeToOneLine(toolName));
  const members = jsonMembers(argumentsText);
  if (members === undefined) return `${name} ${shortened(argumentsText)}`;
  const values = members.map(({ key, valueText }, index) => {
    const value = shortened(valueText.startsWith('"') ? String(JSON.parse(valueText)) : valueText);
    return index === 0 ? value : `${style('dim', `${escapeToOneLine(key)}=`)}${value}`;
  });
  return [name, ...values].join(' ');
}

/**
 * What was decided about a call and why; undefined for a call that is asked about and for a person's answer, which
 * have events of their own.
 */
export function decisionLine(decided: ToolCallDecided, style: TextStyle): string | undefined {
  const { decision } = decided;
  if (decision === undefined || decision.stage === DecisionStage.PERSON) return undefined;
  const why = `${escapeToOneLine(decision.reason || stageText(decision.stage))}${ruleNote(decision)}`;
  if (decision.behavior === PermissionBehavior.ALLOW) return style('dim', `allowed: ${why}`);
  if (decision.behavior === PermissionBehavior.DENY) return `${style('red', 'denied')}: ${why}`;
  return undefined;
}

function ruleNote({ rule, reason }: Decision): string {
  if (rule === undefined) return '';
  const text = ruleText(rule);
  const source = ruleSourceText(rule.source);
  return reason.includes(text) ? ` (${source} rule)` : ` (${source} rule ${text})`;
}

/** How a call ended, with exit code and time. */
export function outcomeLine(end: ToolCallEnd, style: TextStyle): string {
  const text = [
    outcomeText(end.outcome, end.reason),
    ...(end.exitCode === undefined || end.exitCode === 0 ? [] : [`exit ${end.exitCode}`]),
    ...(end.duration === undefined ? [] : [`in ${readableMs(msFromDuration(end.duration))}`]),
  ].join(', ');
  return end.outcome === Outcome.SUCCESS ? style('green', `✓ ${text}`) : style('red', `✗ ${text}`);
}

/** The content of a result, a line each; long ones are cut. */
export function resultLines(result: ToolResult, style: TextStyle): string[] {
  const lines = result.content.flatMap(({ block }) => {
    if (block.case === 'text') return escapeForTerminal(block.value.text).trimEnd().split('\n');
    if (block.case === 'data')
      return [`${escapeToOneLine(block.value.mediaType)}, ${block.value.data.length} bytes`];
    return block.case === 'link' ? [escapeToOneLine(block.value.uri)] : [];
  });
  if (lines.length <= RESULT_LIMIT_LINES) return lines;
  const rest = style('dim', `… ${lines.length - RESULT_LIMIT_LINES} more lines`);
  return [...lines.slice(0, RESULT_LIMIT_LINES), rest];
}

/** A time as people read it. */
export function readableMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The first line, or the beginning of it, and how long the whole is. */
function shortened(text: string): string {
  const [firstLine = ''] = text.split('\n', 1);
  const isWhole = firstLine.length === text.length && text.length <= VALUE_LIMIT_CHARS;
  const shown = escapeToOneLine(firstLine.slice(0, VALUE_LIMIT_CHARS));
  return isWhole ? shown : `${shown}… (${text.length} characters)`;
}
