import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Event, EventSchema } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { startCuttableProxy } from '#test/cuttable-proxy.ts';
import { type CliFixture, startCliFixture } from './cli-fixture.ts';

const TODO = { tool: 'TodoWrite', id: 'plan', input: { todos: [] } };

function eventsOf(stdout: string): Event[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map(line => fromJson(EventSchema, JSON.parse(line) as JsonValue));
}

function waitingCallId(text: string): string {
  return /toolgate approve (\S+)/.exec(text)?.[1] ?? '';
}

describe('toolgate run', () => {
  let fixture: CliFixture;

  beforeAll(async () => {
    fixture = await startCliFixture({
      scripts: {
        echo: { description: 'Says it again.', turns: [{ text: 'You said: {{user}}' }] },
        painter: { description: 'Paints.', turns: [{ text: 'a\u001b[2Jb\u202ec' }] },
        planner: {
          description: 'Plans.',
          turns: [{ text: 'I plan.', calls: [TODO] }, { text: 'Planned.' }],
        },
      },
      rules: [{ tool: 'TodoWrite', behavior: 'ask' }],
    });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('shows what the agent says and succeeds', async () => {
    const end = await fixture.run(['run', '--agent', 'echo', 'good morning']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(end.stdout).toContain('\nYou said: good morning\n');
    expect(end.stdout).toContain('■ Reply completed');
  });

  it('sends text files along as text', async () => {
    const file = join(fixture.dataFolder, 'table.csv');
    await writeFile(file, 'a,b\n1,2\n');
    const { stdout } = await fixture.run(['run', '--agent', 'echo', '--file', file, 'look']);
    expect(stdout).toContain('File table.csv:\na,b\n1,2\n');
  });

  it('writes one event a line for programs, from the first to the last', async () => {
    const { stdout, exitCode } = await fixture.run(['--json', 'run', '--agent', 'echo', 'x']);
    const events = eventsOf(stdout);
    expect(exitCode).toBe(0);
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1));
    expect(events.at(0)?.event.case).toBe('replyStart');
    expect(events.at(-1)?.event.case).toBe('replyEnd');
  });

  it('lets no agent send commands to the terminal', async () => {
    const { stdout } = await fixture.run(['run', '--agent', 'painter', 'x'], { isTerminal: true });
    expect(stdout).toContain('a\\u{1b}[2Jb\\u{202e}c');
  });

  it('goes on with a session', async () => {
    const first = await fixture.run(['run', '--agent', 'echo', 'one']);
    const sessionId = /Session (\S+)/.exec(first.stdout)?.[1] ?? '';
    const second = await fixture.run(['run', '--session', sessionId, 'two']);
    expect(second).toMatchObject({ exitCode: 0 });
    expect(second.stdout).toContain('two');
  });

  it('waits without a terminal until the call is approved elsewhere', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    const { stdout } = await fixture.run(['approvals']);
    expect(stdout).toContain('TodoWrite wants to run');
    const callId = /call (call_\S+)/.exec(stdout)?.[1] ?? '';
    expect(await fixture.run(['approve', callId.slice(0, 12)])).toMatchObject({ exitCode: 0 });
    const end = await running.end;
    expect(end).toMatchObject({ exitCode: 0 });
    expect(waitingCallId(end.stderr)).toBe(callId);
    expect(end.stdout).toContain('approved by owner');
    expect(end.stdout).toContain('Planned.');
  });

  it('shows a denial with its reason and lets the agent go on', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    const waiting = await fixture.run(['--json', 'approvals']);
    const { call } = JSON.parse(waiting.stdout);
    const denied = await fixture.run(['deny', call.callId, '--reason', 'not today']);
    expect(denied).toMatchObject({ exitCode: 0 });
    const end = await running.end;
    expect(end.stdout).toContain('denied by owner: not today');
    expect(end).toMatchObject({ exitCode: 0 });
  });

  it('asks at a terminal, and asks again when the answer means nothing', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x'], { isTerminal: true });
    await running.shows('[n] deny: ');
    running.type('perhaps\n');
    await running.shows('Please answer');
    running.type('y\n');
    const end = await running.end;
    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.stdout).toContain('approved by owner');
  });

  it('says who answered a call before, and that nothing changed', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    const { callId } = JSON.parse((await fixture.run(['--json', 'approvals'])).stdout).call;
    await fixture.run(['deny', callId, '--reason', 'no']);
    await running.end;
    for (const args of [
      ['approve', callId],
      ['deny', callId, '--reason', 'again'],
    ]) {
      const end = await fixture.run(args);
      expect(end).toMatchObject({ exitCode: 1, stdout: '' });
      expect(end.stderr).toMatch(
        new RegExp(`^Call ${callId} was already denied by owner at \\d{4}-.*; nothing changed\\.\n$`),
      );
    }
    const json = await fixture.run(['--json', 'approve', callId]);
    expect(JSON.parse(json.stdout)).toMatchObject({ callId, status: 'RESOLVE_STATUS_ALREADY_ANSWERED' });
  });

  it('says that a call was given up', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    const { callId } = JSON.parse((await fixture.run(['--json', 'approvals'])).stdout).call;
    running.interrupts.trigger();
    await running.end;
    const end = await fixture.run(['approve', callId]);
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toContain('its reply was given up; nothing changed.');
  });

  it('takes no key for an answer that was typed before the question', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x'], { isTerminal: true });
    running.type('y\ny\n');
    await running.shows('[n] deny: ');
    running.type('n\n');
    await running.shows('Reason, for the model: ');
    running.type('too early\n');
    const { stdout } = await running.end;
    expect(stripVTControlCharacters(stdout)).toContain('denied by owner: too early');
  });

  it('goes on waiting when the input ends instead of an answer', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x'], { isTerminal: true });
    await running.shows('[n] deny: ');
    running.type('\u0004');
    await running.shows('Nothing was answered.\nThe reply waits.');
    const waiting = await fixture.run(['--json', 'approvals']);
    await fixture.run(['approve', JSON.parse(waiting.stdout).call.callId]);
    expect(await running.end).toMatchObject({ exitCode: 0 });
  });

  it('takes its question back when somebody else answers', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x'], { isTerminal: true });
    await running.shows('[n] deny: ');
    const waiting = await fixture.run(['--json', 'approvals']);
    await fixture.run(['approve', JSON.parse(waiting.stdout).call.callId]);
    const end = await running.end;
    expect(end).toMatchObject({ exitCode: 0 });
    expect(stripVTControlCharacters(end.stdout)).toContain('\n  approved by owner');
  });

  it('does not let a program that runs tools approve itself', async () => {
    const tokenFile = join(fixture.dataFolder, 'tokens', 'agent.token');
    const running = fixture.start(['--token-file', tokenFile, 'run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    const { stdout } = await fixture.run(['--json', 'approvals']);
    const { callId } = JSON.parse(stdout).call;
    const refused = await fixture.run(['--token-file', tokenFile, 'approve', callId]);
    expect(refused).toMatchObject({ exitCode: 3 });
    expect(refused.stderr).toContain('scope "approve"');
    await fixture.run(['approve', callId]);
    expect(await running.end).toMatchObject({ exitCode: 0 });
  });

  it('sees every event once when the connection breaks in the middle', async () => {
    await using proxy = await startCuttableProxy(fixture.address);
    const running = fixture.start(['--json', '--address', proxy.address, 'run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    proxy.cut();
    await running.shows('The connection is lost');
    const { stdout } = await fixture.run(['--json', 'approvals']);
    await fixture.run(['approve', JSON.parse(stdout).call.callId]);
    const end = await running.end;
    const events = eventsOf(end.stdout);
    expect(end.exitCode).toBe(0);
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.event.case).toBe('replyEnd');
  });

  it('stops the reply at Ctrl-C and says so by its exit code', async () => {
    const running = fixture.start(['run', '--agent', 'planner', 'x']);
    await running.shows('toolgate approve');
    running.interrupts.trigger();
    const end = await running.end;
    expect(end).toMatchObject({ exitCode: 130 });
    expect(end.stdout).toContain('Reply interrupted');
    expect((await fixture.run(['approvals'])).stdout).toBe('Nothing waits for a permission.\n');
  });

  it('says which names of modes there are', async () => {
    const end = await fixture.run(['run', '--agent', 'echo', '--mode', 'wild', 'x']);
    expect(end).toMatchObject({ exitCode: 2 });
    expect(end.stderr).toContain('DEFAULT, ACCEPT_EDITS, PLAN, DONT_ASK, BYPASS');
  });

  it('says what is missing when neither agent nor session is named', async () => {
    expect(await fixture.run(['run', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: 'Name an agent with --agent, or a session with --session.\n',
    });
  });
});
