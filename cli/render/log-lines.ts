import { LOG_LEVELS, type LogEntry } from '../logs/log-entry.ts';
import { escapeForTerminal, escapeToOneLine } from './escape-untrusted.ts';
import type { TextStyle } from './text-style.ts';
import { localDateTime } from './time-text.ts';

const LEVEL_WIDTH = 5;
const LOOKS: Readonly<Record<string, Parameters<TextStyle>[0]>> = {
  warn: 'yellow',
  error: 'red',
  fatal: ['red', 'bold'],
};

/** A line of a log for people: time, whose it is, severity, message and what belongs to it; a stack stands below. */
export function logLines(entry: LogEntry, source: string, style: TextStyle): string[] {
  const time = entry.timeMs === undefined ? '' : localDateTime(new Date(entry.timeMs));
  const level =
    Object.entries(LOG_LEVELS).find(([, value]) => value === entry.level)?.[0] ?? String(entry.level);
  const { err, ...fields } = entry.fields;
  const values = Object.entries(fields).map(
    ([name, value]) => `${style('dim', `${escapeToOneLine(name)}=`)}${escapeToOneLine(valueText(value))}`,
  );
  const head = [
    ...(time === '' ? [] : [style('dim', time)]),
    style('cyan', source),
    style(LOOKS[level] ?? 'dim', level.padEnd(LEVEL_WIDTH)),
    escapeToOneLine(entry.message),
    ...values,
  ];
  return [head.join(' '), ...errorLines(err).map(line => style('dim', `    ${line}`))];
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An error as pino writes it. */
function errorLines(error: unknown): string[] {
  if (error === undefined) return [];
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? error.stack : undefined;
  return escapeForTerminal(typeof stack === 'string' ? stack : valueText(error)).split('\n');
}
