import { PermissionMode, type PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { type Session, TodoStatus, type ToolFilter } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { nameOf } from './enum-words.ts';
import { escapeToOneLine } from './escape-untrusted.ts';
import { behaviorText, ruleText } from './rule-text.ts';
import { labelsText, sessionLook, sessionStateText } from './session-text.ts';
import type { TextStyle } from './text-style.ts';
import { localTime } from './time-text.ts';

const LABEL_WIDTH = 11;

/** Everything about a session that is no conversation, a fact a line; what is empty is left out. */
export function sessionLines(session: Session, style: TextStyle): string[] {
  const { agent, activeReply } = session;
  const line = (label: string, text: string): string[] =>
    text === '' ? [] : [`${style('dim', label.padEnd(LABEL_WIDTH))} ${text}`];
  const own = (label: string, text: string): string[] => line(label, escapeToOneLine(text));
  return [
    style('bold', `Session ${escapeToOneLine(session.sessionId)}`),
    ...line('state', style(sessionLook(session), sessionStateText(session))),
    ...own('user', session.user),
    ...own('role', session.role),
    ...own('agent', agent?.name ?? ''),
    ...own('model', agent?.model ?? ''),
    ...own('mode', nameOf(PermissionMode, session.mode)),
    ...own('created', localTime(session.createTime)),
    ...own('events', String(session.lastSequence)),
    ...own(
      'reply',
      activeReply === undefined ? '' : `${activeReply.replyId}, ${activeReply.iterations} model calls`,
    ),
    ...own('labels', labelsText(session)),
    ...own('tools', filterText(agent?.toolFilter)),
    ...own('its tools', filterText(session.toolFilter)),
    ...(agent?.rules ?? []).flatMap(rule => line('agent rule', behaviorAndRule(rule))),
    ...session.todos.flatMap(({ status, content }) =>
      line('todo', `${todoMark(status)} ${escapeToOneLine(content)}`),
    ),
  ];
}

function filterText(filter: ToolFilter | undefined): string {
  if (filter === undefined) return '';
  const allowed = filter.allow === undefined ? '' : `only ${filter.allow.names.join(', ') || 'none'}`;
  const denied = filter.deny.length === 0 ? '' : `without ${filter.deny.join(', ')}`;
  return [allowed, denied].filter(text => text !== '').join('; ');
}

function behaviorAndRule(rule: PermissionRule): string {
  return `${behaviorText(rule.behavior)} ${ruleText(rule)}`;
}

function todoMark(status: TodoStatus): string {
  if (status === TodoStatus.COMPLETED) return '✓';
  return status === TodoStatus.IN_PROGRESS ? '…' : '·';
}
