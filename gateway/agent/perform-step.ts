import type { CallRecord } from '#gateway/store/store.ts';
import { ReplyKind, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { textResult } from '#kit/text-result.ts';
import { askModel } from './ask-model.ts';
import { callEndEvents, finishedCall } from './call-results.ts';
import { decideCalls } from './decide-calls.ts';
import { endReply } from './end-reply.ts';
import { eventMaker } from './events.ts';
import type { Step } from './next-step.ts';
import { fenceOf, type ReplyContext } from './reply-context.ts';
import { runCall } from './run-call.ts';
import { runCalls } from './run-calls.ts';

/** Does one step of a reply. Says whether another one may follow at once. */
export async function performStep(
  context: ReplyContext,
  step: Step,
  calls: readonly CallRecord[],
): Promise<'go on' | 'pause'> {
  switch (step.kind) {
    case 'none':
    case 'wait':
      return 'pause';
    case 'stop':
      await stopReply(context, calls);
      return 'pause';
    case 'decide':
      await decideCalls(context, step.calls);
      return 'go on';
    case 'run':
      await runCalls(context, step.calls);
      return 'go on';
    case 'ask-model':
      await askModel(context, step.results);
      return 'go on';
    case 'exceeded':
      await endExceeded(context, step.results);
      return 'pause';
    case 'complete':
      await endReply(context, StopReason.COMPLETED, []);
      return 'pause';
  }
}

/**
 * Ends an interrupted reply. A call that was handed to an executor is cancelled there and its real end is awaited; one
 * that was not gets a result that says so.
 */
async function stopReply(context: ReplyContext, calls: readonly CallRecord[]): Promise<void> {
  const submitted = calls.filter(call => call.state === 'SUBMITTED');
  const cancelling = {
    ...context,
    interruptSignal: AbortSignal.abort(new Error('the reply was interrupted')),
  };
  await Promise.all(submitted.map(call => runCall(cancelling, call)));
  const ended = await Promise.all(submitted.map(call => context.services.store.call(call.callId)));
  const byId = new Map(ended.flatMap(call => (call === undefined ? [] : [[call.callId, call] as const])));
  await endWithoutRunning(
    context,
    calls.map(call => byId.get(call.callId) ?? call),
    StopReason.INTERRUPTED,
  );
}

const NOT_RUN = 'Nothing ran: the reply was interrupted before this call began.';

/** Gives every call without a result one that says nothing ran, and ends the reply. */
export async function endWithoutRunning(
  context: ReplyContext,
  calls: readonly CallRecord[],
  stopReason: StopReason,
  error = '',
): Promise<void> {
  const { services, reply } = context;
  const make = eventMaker(reply.replyId, services.now);
  const open = calls.filter(call => call.state !== 'FINISHED');
  const finished = calls.map(call =>
    call.state === 'FINISHED'
      ? call
      : finishedCall(
          call,
          textResult(
            call.state === 'SUBMITTED' ? Outcome.UNKNOWN : Outcome.INTERRUPTED,
            call.state === 'SUBMITTED' ? 'It is not known how this call ended.' : NOT_RUN,
            {
              callId: call.callId,
              reason: error === '' ? OutcomeReason.UNSPECIFIED : OutcomeReason.INTERNAL,
            },
          ),
        ),
  );
  const newlyFinished = finished.filter(call => open.some(candidate => candidate.callId === call.callId));
  if (newlyFinished.length > 0) {
    await services.store.commit({
      sessionId: reply.sessionId,
      fence: fenceOf(reply),
      calls: newlyFinished,
      events: newlyFinished.flatMap(call => callEndEvents(call, make)),
    });
  }
  await endReply(context, stopReason, reply.kind === ReplyKind.MESSAGE ? finished : [], [], error);
}

async function endExceeded(context: ReplyContext, results: readonly CallRecord[]): Promise<void> {
  const make = eventMaker(context.reply.replyId, context.services.now);
  const maxIterations = context.reply.iterations;
  await endReply(context, StopReason.MAX_ITERATIONS, results, [
    make({ case: 'iterationsExceeded', value: { maxIterations } }),
  ]);
}
