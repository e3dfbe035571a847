import { describe, expect, it } from 'vitest';
import { logEntry } from '../../../cli/logs/log-entry.ts';
import { logLines } from '../../../cli/render/log-lines.ts';

const plain = (_format: unknown, text: string): string => text;

function shown(line: string): string[] {
  return logLines(logEntry(line), 'gateway', plain);
}

describe('a line of a log', () => {
  it('shows time, whose it is, severity, message and what belongs to it', () => {
    const time = new Date(2026, 0, 31, 14, 5, 9).getTime();
    const line = {
      level: 40,
      time,
      pid: 7,
      name: 'gateway',
      executor: 'mine',
      calls: 2,
      msg: 'executor lost',
    };
    expect(shown(JSON.stringify(line))).toEqual([
      '2026-01-31 14:05:09 gateway warn  executor lost executor=mine calls=2',
    ]);
  });

  it('shows the stack of an error below', () => {
    const line = {
      level: 50,
      msg: 'request failed',
      err: { message: 'no', stack: 'Error: no\n    at a.ts:1' },
    };
    expect(shown(JSON.stringify(line))).toEqual([
      'gateway error request failed',
      '    Error: no',
      '        at a.ts:1',
    ]);
  });

  it.each(['Segmentation fault', '[1]', '{"level":', '7', 'null'])(
    'shows %s, which no logger wrote, as it is and as an error',
    line => {
      expect(shown(line)).toEqual([`gateway error ${line}`]);
    },
  );

  it('shows what a program says in JSON without a logger', () => {
    expect(shown('{"ready":true}')).toEqual(['gateway info   ready=true']);
  });

  it('sends nothing of what it tells to the terminal as a command', () => {
    const evil = 'x\u001b[2J\u202e\ny';
    const line = JSON.stringify({ level: 30, msg: evil, [evil]: evil, err: { stack: evil } });
    const text = shown(line).join('');
    for (const unseen of ['\u001b', '\u202e', '\n']) expect(text).not.toContain(unseen);
    expect(shown('raw\u001b[2J')).toEqual(['gateway error raw\\u{1b}[2J']);
  });
});
