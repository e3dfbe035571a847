import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { nextStep } from '#gateway/agent/next-step.ts';
import type { CallRecord, CallState, ReplyRecord } from '#gateway/store/store.ts';
import { TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { ReplyKind, ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';

function reply(fields: Partial<ReplyRecord> = {}): ReplyRecord {
  return {
    replyId: 'r',
    sessionId: 's',
    kind: ReplyKind.MESSAGE,
    state: ReplyState.RUNNING,
    stopReason: StopReason.UNSPECIFIED,
    iterations: 1,
    usage: create(TokenUsageSchema),
    error: '',
    requestId: '',
    stopRequested: false,
    firstSequence: 1n,
    owner: 'o',
    epoch: 1,
    ...fields,
  };
}

function calls(...states: CallState[]): CallRecord[] {
  return states.map((state, index) => ({
    callId: `c${index}`,
    sessionId: 's',
    replyId: 'r',
    iteration: 1,
    index,
    providerCallId: '',
    toolName: 't',
    argumentsText: '{}',
    argumentsJson: '{}',
    edited: false,
    state,
    boundPaths: [],
    executor: 'e',
    attempt: 0,
    timeoutMs: 0,
  }));
}

const direct = { kind: ReplyKind.DIRECT_CALL, iterations: 0 };

describe('the next step', () => {
  it.each<[string, Partial<ReplyRecord>, CallState[], string, string]>([
    ['begins by asking the model', { iterations: 0 }, [], 'ask-model', ''],
    ['asks again when an answer was lost', {}, [], 'ask-model', ''],
    ['decides calls that nobody decided', {}, ['PENDING', 'ALLOWED', 'PENDING'], 'decide', 'c0 c2'],
    [
      'waits while one call asks, whatever the others may',
      {},
      ['ALLOWED', 'ASKING', 'FINISHED'],
      'wait',
      'c1',
    ],
    [
      'runs what may run and goes on with what runs',
      {},
      ['FINISHED', 'ALLOWED', 'SUBMITTED'],
      'run',
      'c1 c2',
    ],
    ['hands all results to the model', {}, ['FINISHED', 'FINISHED'], 'ask-model', 'c0 c1'],
    ['ends at the limit of model calls', { iterations: 3 }, ['FINISHED'], 'exceeded', 'c0'],
    ['repeats the last allowed model call when its answer was lost', { iterations: 3 }, [], 'ask-model', ''],
    ['ends a direct call that has its result', direct, ['FINISHED'], 'complete', ''],
    ['decides a direct call', direct, ['PENDING'], 'decide', 'c0'],
    ['stops a reply that was asked to, whatever it does', { stopRequested: true }, ['SUBMITTED'], 'stop', ''],
    ['stops a reply that waits', { stopRequested: true, state: ReplyState.WAITING }, ['ASKING'], 'stop', ''],
    [
      'does nothing for a reply that ended',
      { state: ReplyState.FINISHED, stopRequested: true },
      [],
      'none',
      '',
    ],
  ])('%s', (_name, fields, states, kind, ids) => {
    const step = nextStep(reply(fields), calls(...states), 3);
    const named = 'calls' in step ? step.calls : 'results' in step ? step.results : [];
    expect([step.kind, named.map(call => call.callId).join(' ')]).toEqual([kind, ids]);
  });
});
