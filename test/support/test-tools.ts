import { setTimeout as sleep } from 'node:timers/promises';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Outcome, OutputStream, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { MatchKind, type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { msFromDuration } from '#kit/durations.ts';
import { textResult } from '#kit/text-result.ts';

/** A tool of the test executor. */
export interface TestTool {
  readonly spec: ToolSpec;
  readonly run: (run: CallRun, input: Record<string, unknown>) => Promise<ToolResult>;
}

const readOnly = { readOnly: true };
const success = (text: string): ToolResult => textResult(Outcome.SUCCESS, text);

function tool(
  name: string,
  properties: Record<string, unknown>,
  spec: Omit<MessageInitShape<typeof ToolSpecSchema>, '$typeName'>,
  run: TestTool['run'],
): TestTool {
  const inputSchemaJson = JSON.stringify({ type: 'object', additionalProperties: false, properties });
  return {
    run,
    spec: create(ToolSpecSchema, { name, description: `Test tool ${name}.`, inputSchemaJson, ...spec }),
  };
}

/** Waits, and ends early as a tool that reacts to its cancellation and keeps its time. */
async function pause(run: CallRun, ms: number, keepsTime = true): Promise<ToolResult> {
  const { timeout } = run.call;
  const limitMs = timeout === undefined || !keepsTime ? undefined : msFromDuration(timeout);
  if (limitMs !== undefined && limitMs < ms) {
    const early = await pause(run, limitMs, false);
    return early.outcome === Outcome.SUCCESS ? textResult(Outcome.TIMED_OUT, 'its time was over') : early;
  }
  try {
    await sleep(ms, undefined, { signal: run.signal });
    return success(`slept ${ms} ms`);
  } catch (error) {
    if (!run.signal.aborted) throw error;
    return textResult(Outcome.INTERRUPTED, 'ended early');
  }
}

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };

/** Tools that show each way in which a call can go. */
export const testTools: readonly TestTool[] = [
  tool(
    'echo',
    { text: TEXT, number: NUMBER, list: { type: 'array', items: NUMBER } },
    { hints: readOnly, aliases: ['say'] },
    async run => success(run.call.argumentsJson),
  ),
  tool('sleep', { ms: NUMBER }, { hints: readOnly }, (run, { ms }) => pause(run, Number(ms))),
  tool('stubborn', { ms: NUMBER }, { hints: readOnly }, (run, { ms }) => pause(run, Number(ms), false)),
  tool('exclusive', { ms: NUMBER }, { hints: { readOnly: true, concurrencySafe: false } }, (run, { ms }) =>
    pause(run, Number(ms)),
  ),
  tool('fail', {}, { hints: readOnly }, async () => textResult(Outcome.ERROR, 'it went wrong')),
  tool('flood', { bytes: NUMBER }, { hints: readOnly }, async (run, { bytes }) => {
    const line = Buffer.from(`${'x'.repeat(1023)}\n`);
    for (let left = Number(bytes); left > 0; left -= line.length) {
      await run.output(OutputStream.STDOUT, line.subarray(0, left));
    }
    return success('y'.repeat(Number(bytes)));
  }),
  tool('speak', { base64: { type: 'array', items: TEXT } }, { hints: readOnly }, async (run, { base64 }) => {
    for (const piece of base64 as string[]) {
      await run.output(OutputStream.STDOUT, Buffer.from(piece, 'base64'));
    }
    return success('spoken');
  }),
  tool('talk', { ms: NUMBER }, { hints: readOnly }, async (run, { ms }) => {
    await run.output(OutputStream.STDOUT, Buffer.from('first '));
    const end = await pause(run, Number(ms));
    await run.output(OutputStream.STDOUT, Buffer.from('second'));
    return end;
  }),
  tool('progress', {}, { hints: readOnly }, async run => {
    for (const current of [1, 2]) {
      run.progress({ $typeName: 'toolgate.tool.v1.Progress', current, total: 2, message: `step ${current}` });
      await sleep(30);
    }
    return success('done');
  }),
  tool(
    'write_file',
    { path: TEXT, content: TEXT },
    { permission: { matchFields: [{ pointer: '/path', kind: MatchKind.WRITE_PATH }] } },
    async (run, { path }) => success(`wrote ${String(path)} bound to ${run.call.boundPaths[0]?.realPath}`),
  ),
  tool(
    'append',
    { line: TEXT, ms: NUMBER },
    { permission: { matchFields: [{ pointer: '/line', kind: MatchKind.TEXT }] } },
    async (run, { line, ms }) => {
      const end = await pause(run, Number(ms ?? 0));
      return end.outcome === Outcome.SUCCESS ? success(`appended ${String(line)}`) : end;
    },
  ),
  tool('count', { ms: NUMBER }, {}, (run, { ms }) => pause(run, Number(ms ?? 0))),
  tool('crash', {}, { hints: readOnly }, async () => {
    process.kill(process.pid, 'SIGKILL');
    return success('unreachable');
  }),
];
