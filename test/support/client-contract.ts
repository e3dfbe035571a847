import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { allowing, bodies, endOf, resultText } from '#test/agent-turn.ts';
import { type CuttableProxy, startCuttableProxy } from '#test/cuttable-proxy.ts';
import { type ExampleClient, prepareClient, startExampleClient } from '#test/example-client.ts';
import { allEvents } from '#test/session-history.ts';
import { startTestExecutor, type TestExecutor } from '#test/test-executor.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';

const CTRL_C = '\x03';
const CLEAR_SCREEN = '\x1b[2J';

const script = {
  turns: [
    {
      text: `I append a line.${CLEAR_SCREEN}`,
      calls: [{ tool: 'append', id: 'line', input: { line: 'one' } }],
    },
    { text: 'That is “all”.' },
  ],
};

/** What every example client promises, whatever it is written in. */
export async function describeClient(example: ExampleClient): Promise<void> {
  const prepared = await prepareClient(example);

  describe.skipIf(prepared.kind === 'missing')(`The ${example.name} client`, () => {
    let executor: TestExecutor;
    let gateway: TestGateway;
    let proxy: CuttableProxy;

    beforeAll(async () => {
      executor = await startTestExecutor();
      gateway = await startTestGateway({
        agents: { clerk: { name: 'clerk', instructions: 'Append.', model: 'script:clerk.yaml' } },
        scripts: { 'clerk.yaml': script },
        executors: [executor],
      });
      proxy = await startCuttableProxy(gateway.address);
    });

    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await gateway?.[Symbol.asyncDispose]();
      await executor?.[Symbol.asyncDispose]();
    });

    const args = (token: string): string[] => {
      const file = join(gateway.folder.dataDir, 'tokens', `${token}.token`);
      return ['go on', '--agent', 'clerk', '--address', proxy.address, '--token-file', file];
    };

    test('sends a file along, allows what asks, and prints the answer', async () => {
      const file = join(gateway.folder.dir, 'two lines.txt');
      await writeFile(file, '"one"\n\ttwo \\ zwei €\n');
      const client = startExampleClient(prepared, [...args('owner'), '--file', file, '--yes']);
      const [sessionId] = await client.shows(/ses_[0-9a-f-]{36}/);
      const { exitCode, stdout, stderr } = await client.end;
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toBe('That is “all”.\n');
      expect(stderr).not.toContain(CLEAR_SCREEN);
      expect(stderr).toMatch(/^asks {6}append \{"line":"one"\}$/m);
      const [start] = bodies(await allEvents(gateway.owner, sessionId), 'replyStart');
      const said = (start?.message?.parts ?? []).map(({ part }) =>
        part.case === 'content' && part.value.block.case === 'text' ? part.value.block.value.text : part.case,
      );
      expect(said).toEqual(['go on', 'File two lines.txt:\n"one"\n\ttwo \\ zwei €\n']);
    });

    test('comes back after a cut connection and shows each event once', async () => {
      const client = startExampleClient(prepared, [...args('agent'), '--yes']);
      const [sessionId] = await client.shows(/ses_[0-9a-f-]{36}/);
      await client.shows(/waits .*"approve"/);
      proxy.cut();
      const { session } = await gateway.owner.sessions.getSession({ sessionId });
      await allowing(gateway.owner, sessionId)(session?.pending ?? []);
      const { exitCode, stdout, stderr } = await client.end;
      expect(stdout, stderr).toBe('That is “all”.\n');
      expect(exitCode).toBe(0);
      for (const line of ['agent     I append a line.', 'call      append', 'outcome   SUCCESS']) {
        expect(stderr.split(line), stderr).toHaveLength(2);
      }
    });

    test('tells the agent why a person at the terminal denied a call', async () => {
      const client = startExampleClient(prepared, args('owner'), { terminal: true });
      const [sessionId] = await client.shows(/ses_[0-9a-f-]{36}/);
      await client.shows(/Allow this call\?/);
      client.type('not before noon\n');
      const { exitCode, stdout } = await client.end;
      expect(exitCode, stdout).toBe(0);
      const [result] = bodies(await allEvents(gateway.owner, sessionId), 'toolResultEnd');
      expect(result?.result?.reason).toBe(OutcomeReason.DENIED_BY_PERSON);
      expect(resultText(result?.result)).toContain('not before noon');
    });

    test('interrupts the agent when the person at the terminal presses Ctrl-C', async () => {
      const client = startExampleClient(prepared, args('owner'), { terminal: true });
      const [sessionId] = await client.shows(/ses_[0-9a-f-]{36}/);
      await client.shows(/Allow this call\?[^>]*> $/);
      client.type(CTRL_C);
      const { exitCode, stdout } = await client.end;
      expect(exitCode, stdout).toBe(130);
      const reply = endOf(await allEvents(gateway.owner, sessionId));
      expect(reply?.stopReason).toBe(StopReason.INTERRUPTED);
    });

    test('says in one line that the gateway does not know its token', async () => {
      const wrong = join(gateway.folder.dir, 'wrong.token');
      await writeFile(wrong, 'tg_wrong');
      const client = startExampleClient(prepared, [...args('owner'), '--token-file', wrong]);
      const { exitCode, stderr } = await client.end;
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^The gateway answered unauthenticated: .*\n$/i);
    });
  });
}
