/** Severities of pino by their names, mildest first. */
export const LOG_LEVELS: Readonly<Record<string, number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
};

/** One line of a log. */
export interface LogEntry {
  readonly line: string;
  /** Milliseconds since 1970; undefined for a line that no logger wrote. */
  readonly timeMs: number | undefined;
  /** Severity as a number; text that no logger wrote, such as a crash, counts as an error. */
  readonly level: number;
  readonly message: string;
  /** What else the line says, in its order. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Members of a line that are shown elsewhere, or on no line. */
const SHOWN_APART = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg']);

/** Reads a line as pino writes it; any other text is its own message. */
export function logEntry(line: string): LogEntry {
  const members = jsonObject(line);
  if (members === undefined) {
    return { line, timeMs: undefined, level: LOG_LEVELS['error'] ?? 0, message: line, fields: {} };
  }
  const { level, time, msg } = members;
  return {
    line,
    timeMs: typeof time === 'number' ? time : undefined,
    level: typeof level === 'number' ? level : (LOG_LEVELS['info'] ?? 0),
    message: typeof msg === 'string' ? msg : '',
    fields: Object.fromEntries(Object.entries(members).filter(([name]) => !SHOWN_APART.has(name))),
  };
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
