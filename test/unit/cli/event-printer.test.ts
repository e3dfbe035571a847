import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { EventSchema, ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { ReplyKind, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason, OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { createEventPrinter } from '../../../cli/render/event-printer.ts';

type EventInit = NonNullable<MessageInitShape<typeof EventSchema>['event']>;

function printed(...events: EventInit[]): string {
  let text = '';
  const printer = createEventPrinter({
    style: (_format, plain) => plain,
    write: piece => {
      text += piece;
    },
  });
  for (const event of events) printer.print(create(EventSchema, { event }));
  return text;
}

const start = (callId: string, toolName: string, argumentsText: string): EventInit => ({
  case: 'toolCallStart',
  value: { callId, toolName, argumentsText },
});
const output = (callId: string, text: string): EventInit => ({
  case: 'toolResultTextDelta',
  value: { callId, stream: OutputStream.STDOUT, text },
});
const result = (callId: string, outcome: Outcome, text: string): EventInit => ({
  case: 'toolResultEnd',
  value: { callId, result: { callId, outcome, content: [{ block: { case: 'text', value: { text } } }] } },
});
const end = (callId: string, outcome: Outcome, exitCode?: number): EventInit => ({
  case: 'toolCallEnd',
  value: { callId, outcome, ...(exitCode === undefined ? {} : { exitCode }) },
});

describe('events for people', () => {
  it('runs text on as it comes and begins everything else on a new line', () => {
    expect(
      printed(
        { case: 'textBlockDelta', value: { text: 'Now I ' } },
        { case: 'textBlockDelta', value: { text: 'look.' } },
        start('c1', 'Read', '{"file_path":"a.txt","limit":5}'),
      ),
    ).toBe('Now I look.\n● Read a.txt limit=5\n');
  });

  it('shows output that came in pieces by whole lines, and the result not once more', () => {
    expect(
      printed(
        start('c1', 'Bash', '{"command":"seq 2"}'),
        output('c1', '1\n2'),
        output('c1', '2\nend'),
        result('c1', Outcome.SUCCESS, '1\n22\nend'),
        end('c1', Outcome.SUCCESS, 0),
      ),
    ).toBe('● Bash seq 2\n  │ 1\n  │ 22\n  │ end\n  ✓ SUCCESS\n');
  });

  it('shows the result of a call that had no output', () => {
    expect(printed(start('c1', 'Glob', '{}'), result('c1', Outcome.SUCCESS, 'a.txt'))).toBe(
      '● Glob\n  │ a.txt\n',
    );
  });

  it('says which call a line belongs to while several run', () => {
    expect(
      printed(
        start('c1', 'Read', '{"file_path":"a"}'),
        start('c2', 'Read', '{"file_path":"b"}'),
        output('c2', 'beta\n'),
        output('c1', 'alpha\n'),
        end('c1', Outcome.SUCCESS),
        end('c2', Outcome.SUCCESS),
      ),
    ).toBe('● Read a\n● Read b #2\n  Read #2 │ beta\n  Read #1 │ alpha\n  Read #1 ✓ SUCCESS\n  ✓ SUCCESS\n');
  });

  it('says how a call failed', () => {
    const value = {
      callId: 'c1',
      outcome: Outcome.ERROR,
      reason: OutcomeReason.OUT_OF_MEMORY,
      exitCode: 137,
      duration: { seconds: 1n, nanos: 500_000_000 },
    };
    expect(printed(start('c1', 'Bash', '{}'), { case: 'toolCallEnd', value })).toContain(
      '  ✗ ERROR (OUT_OF_MEMORY), exit 137, in 1.5 s\n',
    );
  });

  it('names the rule that denied a call, and its source', () => {
    const decision = {
      behavior: PermissionBehavior.DENY,
      reason: 'a rule denies it',
      rule: { tool: 'Bash', content: 'curl:*', source: RuleSource.AGENT },
    };
    expect(
      printed(start('c1', 'Bash', '{}'), { case: 'toolCallDecided', value: { callId: 'c1', decision } }),
    ).toContain('  denied: a rule denies it (agent rule Bash(curl:*))\n');
  });

  it('says who answered an approval and what will be remembered', () => {
    const remembered = { tool: 'Bash', content: 'python3:*' };
    expect(
      printed(
        {
          case: 'confirmationAnswered',
          value: { approver: 'ann', remembered, answer: { answer: { case: 'allow', value: {} } } },
        },
        {
          case: 'confirmationAnswered',
          value: { approver: 'ann', answer: { answer: { case: 'deny', value: { reason: 'too risky' } } } },
        },
      ),
    ).toBe('  approved by ann, from now on Bash(python3:*) is allowed\n  denied by ann: too risky\n');
  });

  it('says why a model answer was no good, and why a reply ended', () => {
    const reply = {
      kind: ReplyKind.MESSAGE,
      stopReason: StopReason.ERROR,
      error: 'no such host',
      iterations: 2,
    };
    expect(
      printed(
        { case: 'modelCallEnd', value: { finish: ModelFinish.ERROR, error: 'broke\u001b[2J' } },
        { case: 'replyEnd', value: { reply } },
      ),
    ).toBe('the model broke off: broke\\u{1b}[2J\n■ Reply error, no such host, 2 model calls\n');
  });

  it('says once what both the model call and the reply tell', () => {
    const reply = { kind: ReplyKind.MESSAGE, stopReason: StopReason.ERROR, error: 'no such host' };
    expect(
      printed(
        { case: 'modelCallEnd', value: { finish: ModelFinish.ERROR, error: 'no such host' } },
        { case: 'replyEnd', value: { reply } },
      ),
    ).toBe('the model broke off: no such host\n■ Reply error\n');
  });

  it('escapes what comes from models and tools wherever it shows it', () => {
    const evil = 'x\u001b]0;t\u0007\u202e';
    const text = printed(
      { case: 'textBlockDelta', value: { text: evil } },
      start('c1', evil, JSON.stringify({ command: evil })),
      output('c1', `${evil}\n`),
      result('c1', Outcome.ERROR, evil),
      { case: 'hint', value: { text: evil } },
      { case: 'stopRequested', value: { requestedBy: evil } },
      { case: 'questionRequired', value: { call: { question: evil } } },
      { case: 'toolProgress', value: { callId: 'c1', progress: { message: evil } } },
      { case: 'confirmationAnswered', value: { approver: evil } },
    );
    for (const unseen of ['\u001b', '\u0007', '\u202e']) expect(text).not.toContain(unseen);
    expect(text.match(/x\\u\{1b\}\]0;t\\u\{7\}\\u\{202e\}/g)?.length).toBeGreaterThanOrEqual(8);
  });

  it('cuts long arguments on the line of a call and says how long they are', () => {
    expect(printed(start('c1', 'Write', JSON.stringify({ content: 'a'.repeat(5000) })))).toContain(
      'a… (5000 characters)',
    );
  });
});
