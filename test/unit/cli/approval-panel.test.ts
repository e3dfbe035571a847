import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { type PendingCall, PendingCallSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { approvalPanel } from '../../../cli/render/approval-panel.ts';

const plain = (_format: unknown, text: string): string => text;

function bashCall(argumentsJson: string): PendingCall {
  return create(PendingCallSchema, {
    callId: 'call-1',
    toolName: 'Bash',
    argumentsJson,
    decision: { reason: 'no rule decides', suggestions: [{ tool: 'Bash', content: 'python3:*' }] },
  });
}

describe('an approval', () => {
  it('shows tool, call, every argument, the reason and what can be remembered', () => {
    const panel = approvalPanel(bashCall('{"command":"python3 report.py","timeout":5000}'), plain);
    expect(panel).toBe(
      [
        '┌ Permission needed',
        '│ Bash wants to run  call call-1',
        '│ command: python3 report.py',
        '│ timeout: 5000',
        '│ asked because no rule decides',
        '│ can be remembered as',
        '│   1) allow Bash(python3:*)',
        '└',
        '',
      ].join('\n'),
    );
  });

  it('shows the lines of a long text inside its frame, so that they cannot pass for the frame', () => {
    const panel = approvalPanel(bashCall(JSON.stringify({ command: 'ls\n└\n$ harmless' })), plain);
    expect(panel).toContain('│ command:\n│   ls\n│   └\n│   $ harmless\n');
  });

  it('shows arguments of a million characters whole', () => {
    const command = `${'echo x; '.repeat(125_000)}rm -rf ~`;
    expect(approvalPanel(bashCall(JSON.stringify({ command })), plain)).toContain(command);
  });

  it('escapes what cannot be seen in values, keys and names of tools', () => {
    const call = bashCall(JSON.stringify({ 'com\u200bmand\n': 'a\u202eb\u001b[2K' }));
    call.toolName = 'Ba\u001bsh';
    const panel = approvalPanel(call, plain);
    expect(panel).toContain('│ Ba\\u{1b}sh wants to run');
    expect(panel).toContain('│ com\\u{200b}mand\\u{a}: a\\u{202e}b\\u{1b}[2K\n');
  });

  it('shows both values of a repeated key', () => {
    const panel = approvalPanel(bashCall('{"command": "ls", "command": "rm -rf ~"}'), plain);
    expect(panel).toContain('│ command: ls\n│ command: rm -rf ~\n');
  });

  it('shows large numbers and nested values as they were written', () => {
    const panel = approvalPanel(
      bashCall('{"id": 12345678901234567890, "deep": {"a": [1, "\\u202e,}"]}, "n": null}'),
      plain,
    );
    expect(panel).toContain('│ id: 12345678901234567890\n│ deep: {"a":[1,"\\u202e,}"]}\n│ n: null\n');
  });

  it('shows arguments that are no JSON object as they are', () => {
    expect(approvalPanel(bashCall('{"command": "rm'), plain)).toContain('│ {"command": "rm\n');
  });

  it('says when there are no arguments', () => {
    expect(approvalPanel(bashCall('{}'), plain)).toContain('│ (no arguments)\n');
  });
});
