import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { PendingCall } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { escapeForDecision, escapeToOneLine } from './escape-untrusted.ts';
import { jsonMembers } from './json-members.ts';
import { ruleText } from './rule-text.ts';
import type { TextStyle } from './text-style.ts';

/**
 * What a person reads before a call is approved: the whole call, however long, with nothing in it that cannot be seen.
 */
export function approvalPanel(call: PendingCall, style: TextStyle): string {
  const lines = [
    style('bold', `${escapeToOneLine(call.toolName)} wants to run`) + style('dim', `  call ${call.callId}`),
    ...argumentLines(call.argumentsJson, style),
    ...reasonLines(call, style),
    ...suggestionLines(call.decision?.suggestions ?? [], style),
  ];
  const edge = (mark: string): string => style('yellow', mark);
  return [
    `${edge('┌')} ${style(['yellow', 'bold'], 'Permission needed')}`,
    ...lines.flatMap(line => line.split('\n')).map(line => `${edge('│')} ${line}`),
    edge('└'),
    '',
  ].join('\n');
}

/** The arguments of a call, one a paragraph. Strings are shown as they are, everything else as JSON. */
function argumentLines(argumentsJson: string, style: TextStyle): string[] {
  const members = jsonMembers(argumentsJson);
  if (members === undefined) return [escapeForDecision(argumentsJson)];
  if (members.length === 0) return [style('dim', '(no arguments)')];
  return members.flatMap(({ key, valueText }) => {
    const label = style('cyan', `${escapeForDecision(key).replaceAll('\n', '\\u{a}')}:`);
    const value = escapeForDecision(valueText.startsWith('"') ? String(JSON.parse(valueText)) : valueText);
    if (!value.includes('\n')) return [`${label} ${value}`];
    return [label, ...value.split('\n').map(line => `  ${line}`)];
  });
}

function reasonLines(call: PendingCall, style: TextStyle): string[] {
  const reason = call.decision?.reason ?? '';
  return reason === '' ? [] : [`${style('dim', 'asked because')} ${escapeToOneLine(reason)}`];
}

function suggestionLines(suggestions: readonly PermissionRule[], style: TextStyle): string[] {
  if (suggestions.length === 0) return [];
  return [
    style('dim', 'can be remembered as'),
    ...suggestions.map((rule, index) => `  ${index + 1}) allow ${ruleText(rule)}`),
  ];
}
