import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
} from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import {
  Outcome,
  OutcomeReason,
  OutputStream,
  type ToolResult,
} from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { CallCancelled } from '#kit/call-cancelled.ts';
import { CallTable, type RunCall } from '#kit/call-table.ts';
import type { CallRun } from '#kit/durable-call.ts';
import { createLogger } from '#kit/logger.ts';
import { textResult } from '#kit/text-result.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function request(callId: string, attach?: { stdoutOffset: bigint }): ExecuteRequest {
  return create(ExecuteRequestSchema, {
    call: { callId, attempt: 1, toolName: 'T', context: { sessionId: 's' } },
    ...(attach === undefined ? {} : { attach }),
  });
}

/** A run that ends when the test says so, and that tells the reason it was cancelled for. */
function openRun() {
  const started = Promise.withResolvers<CallRun>();
  const end = Promise.withResolvers<ToolResult>();
  let runs = 0;
  const run: RunCall = durable => {
    runs += 1;
    started.resolve(durable);
    durable.signal.addEventListener('abort', () => {
      const reason: unknown = durable.signal.reason;
      const text = reason instanceof CallCancelled ? `${reason.source}: ${reason.message}` : 'unknown';
      end.resolve(textResult(Outcome.INTERRUPTED, text));
    });
    return end.promise;
  };
  return {
    run,
    started: started.promise,
    end: (text: string) => end.resolve(textResult(Outcome.SUCCESS, text)),
    runs: () => runs,
  };
}

async function collect(stream: AsyncIterable<ExecuteResponse>): Promise<ExecuteResponse['message'][]> {
  const messages: ExecuteResponse['message'][] = [];
  for await (const response of stream) messages.push(response.message);
  return messages;
}

function textOf(messages: readonly ExecuteResponse['message'][]): string {
  const last = messages.at(-1);
  if (last?.case !== 'result') return '';
  const block = last.value.content[0]?.block;
  return block?.case === 'text' ? block.value.text : '';
}

function outputOf(messages: readonly ExecuteResponse['message'][]): string {
  const pieces = messages.flatMap(message => (message.case === 'output' ? [message.value.data] : []));
  return Buffer.concat(pieces).toString();
}

const never = new AbortController().signal;

test('a call answers accepted, its output with offsets, then exactly one result', async () => {
  const table = new CallTable({ logger });
  const messages = await collect(
    table.execute(
      request('a'),
      run => {
        void run.output(OutputStream.STDOUT, Buffer.from('one'));
        void run.output(OutputStream.STDERR, Buffer.from('err'));
        void run.output(OutputStream.STDOUT, Buffer.from('two'));
        return Promise.resolve(textResult(Outcome.SUCCESS, 'done'));
      },
      never,
    ),
  );
  expect(messages.map(message => message.case)).toEqual(['accepted', 'output', 'output', 'output', 'result']);
  expect(messages[3]).toMatchObject({ value: { stream: OutputStream.STDOUT, offset: 3n } });
  expect(messages.at(-1)).toMatchObject({ value: { callId: 'a', outcome: Outcome.SUCCESS } });
});

test('the same call_id and attempt attaches and never runs twice', async () => {
  const table = new CallTable({ logger });
  const open = openRun();
  const first = collect(table.execute(request('a'), open.run, never));
  const run = await open.started;
  const second = collect(table.execute(request('a'), open.run, never));
  void run.output(OutputStream.STDOUT, Buffer.from('both'));
  open.end('done');
  const [one, two] = await Promise.all([first, second]);
  expect(open.runs()).toBe(1);
  expect(one[0]).toMatchObject({ case: 'accepted', value: { attached: false } });
  expect(two[0]).toMatchObject({ case: 'accepted', value: { attached: true } });
  expect([outputOf(one), outputOf(two)]).toEqual(['both', 'both']);
});

test('a finished call is answered again from the offset that is asked for', async () => {
  const table = new CallTable({ logger });
  const run: RunCall = durable => {
    void durable.output(OutputStream.STDOUT, Buffer.from('0123456789'));
    return Promise.resolve(textResult(Outcome.SUCCESS, 'done'));
  };
  await collect(table.execute(request('a'), run, never));
  const again = await collect(table.execute(request('a', { stdoutOffset: 7n }), run, never));
  expect(outputOf(again)).toBe('789');
  expect(textOf(again)).toBe('done');
});

test('attach never starts a call: an unknown one ends with UNKNOWN', async () => {
  const table = new CallTable({ logger });
  const open = openRun();
  const messages = await collect(table.execute(request('a', { stdoutOffset: 0n }), open.run, never));
  expect(open.runs()).toBe(0);
  expect(messages).toMatchObject([{ case: 'result', value: { outcome: Outcome.UNKNOWN } }]);
});

test('a reader that leaves cancels nothing until the lease is over', async () => {
  const table = new CallTable({ logger, leaseMs: 1000 });
  const open = openRun();
  const reader = new AbortController();
  const first = collect(table.execute(request('a'), open.run, reader.signal));
  const run = await open.started;
  reader.abort();
  await first;
  await vi.advanceTimersByTimeAsync(999);
  expect(run.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(textOf(await collect(table.execute(request('a'), open.run, never)))).toContain('LEASE_OVER');
});

test('a reader that comes back in time keeps the call alive', async () => {
  const table = new CallTable({ logger, leaseMs: 1000 });
  const open = openRun();
  const reader = new AbortController();
  const first = collect(table.execute(request('a'), open.run, reader.signal));
  const run = await open.started;
  reader.abort();
  await first;
  await vi.advanceTimersByTimeAsync(900);
  const second = collect(table.execute(request('a'), open.run, never));
  await vi.advanceTimersByTimeAsync(5000);
  expect(run.signal.aborted).toBe(false);
  open.end('done');
  expect(textOf(await second)).toBe('done');
});

test('cancel ends a running call with its reason, and only a running one', async () => {
  const table = new CallTable({ logger });
  const open = openRun();
  const stream = collect(table.execute(request('a'), open.run, never));
  await open.started;
  expect(table.cancel('a', 1, 'the person stopped it')).toBe(true);
  expect(textOf(await stream)).toBe('REQUESTED: the person stopped it');
  expect(table.cancel('a', 1, '')).toBe(false);
  expect(table.cancel('other', 1, '')).toBe(false);
});

test('the ring drops the oldest output, and the offset shows the gap', async () => {
  const table = new CallTable({ logger, ringBytes: 4096 });
  const run: RunCall = durable => {
    for (let piece = 0; piece < 100; piece += 1) void durable.output(OutputStream.STDOUT, Buffer.alloc(1000));
    return Promise.resolve(textResult(Outcome.SUCCESS, 'done'));
  };
  await collect(table.execute(request('a'), run, never));
  const again = await collect(table.execute(request('a'), run, never));
  expect(again[1]).toMatchObject({ case: 'output', value: { offset: 97_000n } });
});

test('a producer waits for a reader that is behind, but not for ever', async () => {
  const table = new CallTable({ logger, stallMs: 500 });
  const open = openRun();
  const stream = table.execute(request('a'), open.run, never);
  await stream.next();
  const reading = stream.next();
  const run = await open.started;
  void run.output(OutputStream.STDOUT, Buffer.alloc(1000));
  await reading;
  const waiting = run.output(OutputStream.STDOUT, Buffer.alloc(600_000));
  if (waiting === undefined) throw new Error('the producer was not asked to wait');
  let hasWaited = false;
  void waiting.then(() => {
    hasWaited = true;
  });
  await vi.advanceTimersByTimeAsync(499);
  expect(hasWaited).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(hasWaited).toBe(true);
});

test('silence is broken by keep-alives', async () => {
  const table = new CallTable({ logger, keepAliveMs: 100 });
  const open = openRun();
  const stream = table.execute(request('a'), open.run, never);
  await stream.next();
  const next = stream.next();
  await vi.advanceTimersByTimeAsync(100);
  expect((await next).value).toMatchObject({ message: { case: 'keepAlive' } });
});

test('a run that throws is a fault with a result, not a hanging stream', async () => {
  const table = new CallTable({ logger });
  const messages = await collect(table.execute(request('a'), () => Promise.reject(new Error('bug')), never));
  expect(messages.at(-1)).toMatchObject({
    value: { outcome: Outcome.ERROR, reason: OutcomeReason.INTERNAL },
  });
});

test('closing a session cancels its calls and forgets them', async () => {
  const table = new CallTable({ logger });
  const open = openRun();
  const stream = collect(table.execute(request('a'), open.run, never));
  await open.started;
  await table.closeSession('s');
  expect(textOf(await stream)).toContain('the session was closed');
  const after = await collect(table.execute(request('a', { stdoutOffset: 0n }), open.run, never));
  expect(after).toMatchObject([{ value: { outcome: Outcome.UNKNOWN } }]);
});

test('results are forgotten after their time', async () => {
  let nowMs = 0;
  const table = new CallTable({ logger, keepResultMs: 1000, now: () => nowMs });
  const run: RunCall = () => Promise.resolve(textResult(Outcome.SUCCESS, 'done'));
  await collect(table.execute(request('old'), run, never));
  nowMs = 1001;
  await collect(table.execute(request('new'), run, never));
  const old = await collect(table.execute(request('old', { stdoutOffset: 0n }), run, never));
  expect(old).toMatchObject([{ value: { outcome: Outcome.UNKNOWN } }]);
});

test('a draining table refuses new calls', async () => {
  const table = new CallTable({ logger });
  table.drain();
  const open = openRun();
  await expect(collect(table.execute(request('a'), open.run, never))).rejects.toThrow('shutting down');
});
