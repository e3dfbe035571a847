import { create } from '@bufbuild/protobuf';
import type { CallRecord, UnnumberedEvent } from '#gateway/store/store.ts';
import { errorResult } from '#gateway/tools/error-result.ts';
import { type Execution, executeCall } from '#gateway/tools/execute-call.ts';
import { fitResult } from '#gateway/tools/fit-result.ts';
import { GATEWAY_EXECUTOR } from '#gateway/tools/gateway-tool.ts';
import { findTool } from '#gateway/tools/visible-tools.ts';
import { ReplyState, type Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ToolCallSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { OutcomeReason, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { durationFromMs, msFromDuration } from '#kit/durations.ts';
import { callEndEvents, finishedCall } from './call-results.ts';
import { CoalescingWriter } from './coalescing-writer.ts';
import { type EventBody, eventMaker, mergeDeltas } from './events.ts';
import { loggedOutput } from './logged-output.ts';
import { OutputEvents } from './output-events.ts';
import { commitEvents, fenceOf, type ReplyContext } from './reply-context.ts';
import { placeKey } from './session-places.ts';

/** Runs one call that may run, or goes on with one that was running, and writes its result. */
export async function runCall(context: ReplyContext, call: CallRecord): Promise<void> {
  if (call.executor === GATEWAY_EXECUTOR) await runGatewayTool(context, call);
  else await runOnExecutor(context, call);
}

async function runGatewayTool(context: ReplyContext, call: CallRecord): Promise<void> {
  const { services, reply } = context;
  const tool = services.gatewayTools.find(candidate => candidate.spec.name === call.toolName);
  const run = tool?.run(call.callId, JSON.parse(call.argumentsJson));
  const make = eventMaker(reply.replyId, services.now);
  const finished = finishedCall(call, withNotes(run?.result ?? gone(call), call));
  const update = run?.updateSession;
  await services.store.commit({
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    reply: { state: ReplyState.RUNNING },
    calls: [finished],
    ...(update === undefined ? {} : { updateSession: announced(update, make) }),
    events: [
      make({ case: 'toolResultStart', value: { callId: call.callId } }),
      ...callEndEvents(finished, make),
    ],
  });
}

/** The update, and the event that tells of it. */
function announced(
  update: (session: Session) => void,
  make: (event: EventBody) => UnnumberedEvent,
): (session: Session) => UnnumberedEvent[] {
  return session => {
    update(session);
    const { mode, activeGroups, todos } = session;
    return [make({ case: 'sessionUpdated', value: { mode, activeGroups, todos } })];
  };
}

async function runOnExecutor(context: ReplyContext, call: CallRecord): Promise<void> {
  const { services, reply } = context;
  const make = eventMaker(reply.replyId, services.now);
  const isNew = call.state === 'ALLOWED';
  const submitted: CallRecord = isNew ? { ...call, state: 'SUBMITTED', attempt: call.attempt + 1 } : call;
  if (isNew) {
    await services.store.commit({
      sessionId: reply.sessionId,
      fence: fenceOf(reply),
      reply: { state: ReplyState.RUNNING },
      calls: [submitted],
      events: [make({ case: 'toolResultStart', value: { callId: call.callId } })],
    });
  }
  const writer = new CoalescingWriter(events => commitEvents(context, events), mergeDeltas);
  const startedAt = services.now();
  const attachAt = isNew ? undefined : await loggedOutput(services.store, reply, call);
  const raw = await execute(context, submitted, writer, attachAt);
  if (mustBeDecidedAgain(raw, submitted)) {
    await decideAgain(context, submitted);
    return;
  }
  const result = withNotes(fitResult(raw, services.limits.resultBytes), submitted);
  const finished = finishedCall(submitted, {
    ...result,
    callId: call.callId,
    duration: result.duration ?? durationFromMs(services.now() - startedAt),
  });
  await services.store.commit({
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    calls: [finished],
    events: [...(await writer.takeRest()), ...callEndEvents(finished, make)],
  });
}

/** Runs of a call that its executor may refuse because the session moved; then the model is told. */
const MAX_ATTEMPTS = 3;

/** Nothing ran, because what the decision rests on is no longer so: the call needs another decision. */
function mustBeDecidedAgain(result: ToolResult, call: CallRecord): boolean {
  return result.reason === OutcomeReason.FACTS_CHANGED && call.attempt < MAX_ATTEMPTS;
}

async function decideAgain({ services, reply }: ReplyContext, call: CallRecord): Promise<void> {
  services.places.forget(placeKey(call.sessionId, call.executor));
  const { decision: _, ...undecided } = call;
  await services.store.commit({
    sessionId: reply.sessionId,
    fence: fenceOf(reply),
    calls: [{ ...undecided, state: 'PENDING', boundPaths: [] }],
  });
}

async function execute(
  context: ReplyContext,
  call: CallRecord,
  writer: CoalescingWriter,
  attachAt: Execution['attachAt'],
): Promise<ToolResult> {
  const { services, reply, interruptSignal, leaveSignal } = context;
  const link = services.executors.link(call.executor);
  if (link === undefined) return gone(call);
  const make = eventMaker(reply.replyId, services.now);
  const logged = (attachAt?.stdout ?? 0) + (attachAt?.stderr ?? 0);
  const output = new OutputEvents(call.callId, make, services.limits.loggedOutputBytes - logged);
  const timeoutMs = timeoutOf(context, call);
  const result = await executeCall({
    link,
    executorName: call.executor,
    call: toolCall(context, call, timeoutMs),
    ...(attachAt === undefined ? {} : { attachAt }),
    leaseMs: services.executors.leaseMs(call.executor),
    timeoutMs,
    cancelSignal: interruptSignal,
    leaveSignal,
    onOutput: async chunk => {
      for (const event of output.add(chunk)) await writer.add(event);
    },
    onProgress: async progress => {
      await writer.add(make({ case: 'toolProgress', value: { callId: call.callId, progress } }));
    },
  });
  for (const event of output.end()) await writer.add(event);
  return result;
}

function toolCall(context: ReplyContext, call: CallRecord, timeoutMs: number) {
  const { session, user, reply } = context;
  return create(ToolCallSchema, {
    callId: call.callId,
    attempt: call.attempt,
    toolName: call.toolName,
    argumentsJson: call.argumentsJson,
    timeout: durationFromMs(timeoutMs),
    boundPaths: [...call.boundPaths],
    context: {
      sessionId: reply.sessionId,
      replyId: reply.replyId,
      user,
      agent: session.agent?.name ?? '',
      attributesJson: session.attributesJson,
    },
  });
}

/** The smallest of what the caller, the tool and the gateway allow. */
function timeoutOf({ services, tools }: ReplyContext, call: CallRecord): number {
  const spec = findTool(tools, call.toolName)?.spec;
  const ofTool = spec?.timeout === undefined ? services.limits.toolTimeoutMs : msFromDuration(spec.timeout);
  return call.timeoutMs > 0 ? Math.min(ofTool, call.timeoutMs) : ofTool;
}

/** Tells the model that it sees the result of other arguments than it wrote. */
function withNotes(result: ToolResult, call: CallRecord): ToolResult {
  if (!call.edited) return result;
  const text = `[A person reviewed this call and edited its arguments. What ran: ${call.argumentsJson}]`;
  return { ...result, content: [...textContent(text), ...result.content] };
}

function textContent(text: string): ToolResult['content'] {
  return errorResult('', OutcomeReason.UNSPECIFIED, text).content;
}

function gone(call: CallRecord): ToolResult {
  const text = `Nothing ran: the executor "${call.executor}" cannot be reached.`;
  return errorResult(call.callId, OutcomeReason.EXECUTOR_UNAVAILABLE, text);
}
