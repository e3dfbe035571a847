import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { type Execution, executeCall } from '#gateway/tools/execute-call.ts';
import type { AnswerRequest, ExecuteRequest } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { ToolCallSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { connectExecutor } from '#kit/executor-client.ts';
import { textResult } from '#kit/text-result.ts';
import { resultText } from '#test/agent-turn.ts';
import { startOddExecutor } from '#test/odd-executor.ts';
import { startTestExecutor } from '#test/test-executor.ts';
import { startTestExecutorProcess } from '#test/test-executor-process.ts';

const never = new AbortController().signal;

async function execute(
  executor: { readonly address: string; readonly token: string },
  toolName: string,
  fields: Partial<Execution> & { readonly argumentsJson?: string } = {},
) {
  const { argumentsJson = '{}', ...rest } = fields;
  const link = connectExecutor({ address: executor.address, token: () => executor.token });
  try {
    return await executeCall({
      link,
      executorName: 'test',
      call: create(ToolCallSchema, { callId: 'call', attempt: 1, toolName, argumentsJson }),
      leaseMs: 1_000,
      timeoutMs: 60_000,
      cancelSignal: never,
      leaveSignal: never,
      onOutput: async () => undefined,
      onProgress: async () => undefined,
      ...rest,
    });
  } finally {
    link.close();
  }
}

const success = { message: { case: 'result' as const, value: textResult(Outcome.SUCCESS, 'done') } };
const accepted = { message: { case: 'accepted' as const, value: {} } };

describe('a call on an executor', () => {
  it('that fails after it took the call is given up after a few tries, whatever its lease', async () => {
    const requests: ExecuteRequest[] = [];
    await using executor = await startOddExecutor({
      async *execute(request) {
        requests.push(request);
        yield accepted;
        throw new ConnectError('a fault in the tool', Code.Unknown);
      },
    });
    const result = await execute(executor, 'echo', { leaseMs: 600_000 });
    expect(result).toMatchObject({ outcome: Outcome.UNKNOWN, reason: OutcomeReason.EXECUTOR_LOST });
    expect(resultText(result)).toContain('a fault in the tool');
    expect(requests.map(({ attach }) => attach === undefined)).toEqual([true, false, false]);
  });

  it('that was cancelled before it began does not begin', async () => {
    await using executor = await startTestExecutor();
    const result = await execute(executor, 'echo', { cancelSignal: AbortSignal.abort() });
    expect(result.outcome).toBe(Outcome.INTERRUPTED);
    expect(resultText(result)).toContain('Nothing ran');
    expect(executor.log.entries).toEqual([]);
  });

  it('whose cancellation overtook it is cancelled once the executor has it', async () => {
    const cancel = new AbortController();
    const cancelled = Promise.withResolvers<void>();
    let cancellations = 0;
    await using executor = await startOddExecutor({
      async *execute() {
        cancel.abort();
        await new Promise(resolve => setTimeout(resolve, 50));
        yield accepted;
        await cancelled.promise;
        yield { message: { case: 'result', value: textResult(Outcome.INTERRUPTED, 'ended early') } };
      },
      cancel: () => {
        cancellations += 1;
        if (cancellations === 2) cancelled.resolve();
        return { wasRunning: cancellations === 2 };
      },
    });
    const result = await execute(executor, 'echo', { cancelSignal: cancel.signal });
    expect(result.outcome).toBe(Outcome.INTERRUPTED);
    expect(cancellations).toBe(2);
  });

  it('that a broken stream cut off is attached to where it stopped, and never run twice', async () => {
    const requests: ExecuteRequest[] = [];
    const seen: string[] = [];
    await using executor = await startOddExecutor({
      async *execute(request) {
        requests.push(request);
        yield accepted;
        if (request.attach === undefined) {
          yield { message: { case: 'output', value: { stream: 1, offset: 0n, data: Buffer.from('one ') } } };
          throw new ConnectError('the network failed', Code.Unavailable);
        }
        const offset = request.attach.stdoutOffset;
        yield { message: { case: 'output', value: { stream: 1, offset, data: Buffer.from('two') } } };
        yield success;
      },
    });
    const result = await execute(executor, 'echo', {
      onOutput: async chunk => {
        seen.push(Buffer.from(chunk.data).toString());
      },
    });
    expect(result.outcome).toBe(Outcome.SUCCESS);
    expect(seen).toEqual(['one ', 'two']);
    expect(requests.map(request => request.attach?.stdoutOffset)).toEqual([undefined, 4n]);
    expect(requests.map(request => request.call?.attempt)).toEqual([1, 1]);
  });

  it('whose executor ends its streams without a result is unknown after the lease', async () => {
    await using executor = await startOddExecutor({
      async *execute() {
        yield accepted;
      },
    });
    const result = await execute(executor, 'echo', { leaseMs: 300 });
    expect([result.outcome, result.reason]).toEqual([Outcome.UNKNOWN, OutcomeReason.EXECUTOR_LOST]);
  });

  it.each([
    [Code.Unavailable, OutcomeReason.EXECUTOR_UNAVAILABLE],
    [Code.FailedPrecondition, OutcomeReason.EXECUTOR_UNAVAILABLE],
    [Code.Unauthenticated, OutcomeReason.EXECUTOR_UNAVAILABLE],
    [Code.ResourceExhausted, OutcomeReason.RESOURCE_EXHAUSTED],
  ])('that is refused with code %i did not run', async (code, reason) => {
    await using executor = await startOddExecutor({
      execute: () => {
        throw new ConnectError('not now', code);
      },
    });
    const result = await execute(executor, 'echo');
    expect([result.outcome, result.reason]).toEqual([Outcome.ERROR, reason]);
    expect(resultText(result)).toContain('Nothing ran');
    expect(resultText(result)).toContain('not now');
  });

  it('whose process dies before its first word may have run, so nobody says that it did not', async () => {
    await using executor = await startTestExecutorProcess({ leaseMs: 500 });
    const result = await execute(executor, 'crash', { leaseMs: 500 });
    expect([result.outcome, result.reason]).toEqual([Outcome.UNKNOWN, OutcomeReason.EXECUTOR_LOST]);
  });

  it('whose process is killed before its first word may have run as well', async () => {
    await using executor = await startTestExecutorProcess({ leaseMs: 500 });
    const result = execute(executor, 'sleep', { leaseMs: 500, argumentsJson: '{"ms":60000}' });
    await executor.log.until('started', 'sleep');
    await executor.kill();
    expect((await result).outcome).toBe(Outcome.UNKNOWN);
  });

  it('on a port where nobody listens did not run', async () => {
    const executor = await startTestExecutor();
    await executor[Symbol.asyncDispose]();
    const result = await execute(executor, 'echo');
    expect(result.reason).toBe(OutcomeReason.EXECUTOR_UNAVAILABLE);
  });

  it('that is only attached to is never started', async () => {
    await using executor = await startTestExecutor();
    const result = await execute(executor, 'echo', { attachAt: { stdout: 0, stderr: 0 } });
    expect(result.outcome).toBe(Outcome.UNKNOWN);
    expect(executor.log.entries).toEqual([]);
  });

  it.each([Outcome.UNSPECIFIED, Outcome.RUNNING])(
    'that ends with outcome %i ended in a way nobody knows',
    async outcome => {
      await using executor = await startOddExecutor({
        async *execute() {
          yield { message: { case: 'result', value: textResult(outcome, 'hm') } };
        },
      });
      const result = await execute(executor, 'echo');
      expect(result.outcome).toBe(Outcome.UNKNOWN);
      expect(resultText(result)).toContain('hm');
    },
  );

  it('that asks a person gets an answer at once, since nobody can be asked yet', async () => {
    const answered = Promise.withResolvers<AnswerRequest>();
    await using executor = await startOddExecutor({
      async *execute() {
        yield accepted;
        yield { message: { case: 'inputRequest', value: { requestId: 'q', message: 'Sure?' } } };
        await answered.promise;
        yield success;
      },
      answer: request => {
        answered.resolve(request);
        return {};
      },
    });
    expect((await execute(executor, 'echo')).outcome).toBe(Outcome.SUCCESS);
    const { requestId, answer } = await answered.promise;
    expect([requestId, answer.case]).toEqual(['q', 'declined']);
  });

  it('is left alone when the gateway leaves', async () => {
    await using executor = await startTestExecutor();
    const leave = new AbortController();
    const running = execute(executor, 'sleep', { argumentsJson: '{"ms":300}', leaveSignal: leave.signal });
    await executor.log.until('started', 'sleep');
    leave.abort(new Error('leaving'));
    await expect(running).rejects.toThrow('leaving');
    await executor.log.until('ended', 'sleep');
    expect(executor.log.entries.map(entry => entry.what)).toEqual(['started', 'ended']);
  });
});
