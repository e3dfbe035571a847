import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Selectable } from 'kysely';
import { TokenUsageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { DecisionSchema } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { BoundPath } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { BoundPathSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { ToolResultSchema } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { CallRecord, ReplyRecord } from './store.ts';
import type { CallsTable, RepliesTable } from './tables.ts';

/** A reply as a row. */
export function replyRow(reply: ReplyRecord): RepliesTable {
  return {
    reply_id: reply.replyId,
    session_id: reply.sessionId,
    kind: reply.kind,
    state: reply.state,
    stop_reason: reply.stopReason,
    iterations: reply.iterations,
    usage: toBinary(TokenUsageSchema, reply.usage),
    error: reply.error,
    request_id: reply.requestId === '' ? null : reply.requestId,
    stop_requested: reply.stopRequested ? 1 : 0,
    first_sequence: Number(reply.firstSequence),
    owner: reply.owner,
    epoch: reply.epoch,
  };
}

/** A row as a reply. */
export function replyRecord(row: Selectable<RepliesTable>): ReplyRecord {
  return {
    replyId: row.reply_id,
    sessionId: row.session_id,
    kind: row.kind,
    state: row.state,
    stopReason: row.stop_reason,
    iterations: row.iterations,
    usage: fromBinary(TokenUsageSchema, row.usage),
    error: row.error,
    requestId: row.request_id ?? '',
    stopRequested: row.stop_requested === 1,
    firstSequence: BigInt(row.first_sequence),
    owner: row.owner,
    epoch: row.epoch,
  };
}

/** A call as a row. */
export function callRow(call: CallRecord): CallsTable {
  return {
    call_id: call.callId,
    session_id: call.sessionId,
    reply_id: call.replyId,
    iteration: call.iteration,
    position: call.index,
    provider_call_id: call.providerCallId,
    tool_name: call.toolName,
    arguments_text: call.argumentsText,
    arguments_json: call.argumentsJson,
    edited: call.edited ? 1 : 0,
    state: call.state,
    decision: call.decision === undefined ? null : toBinary(DecisionSchema, call.decision),
    bound_paths: JSON.stringify(call.boundPaths.map(bound => [bound.path, bound.realPath])),
    result: call.result === undefined ? null : toBinary(ToolResultSchema, call.result),
    executor: call.executor,
    attempt: call.attempt,
    timeout_ms: call.timeoutMs,
  };
}

/** A row as a call. */
export function callRecord(row: Selectable<CallsTable>): CallRecord {
  return {
    callId: row.call_id,
    sessionId: row.session_id,
    replyId: row.reply_id,
    iteration: row.iteration,
    index: row.position,
    providerCallId: row.provider_call_id,
    toolName: row.tool_name,
    argumentsText: row.arguments_text,
    argumentsJson: row.arguments_json,
    edited: row.edited === 1,
    state: row.state,
    ...(row.decision === null ? {} : { decision: fromBinary(DecisionSchema, row.decision) }),
    boundPaths: boundPaths(row.bound_paths),
    ...(row.result === null ? {} : { result: fromBinary(ToolResultSchema, row.result) }),
    executor: row.executor,
    attempt: row.attempt,
    timeoutMs: row.timeout_ms,
  };
}

function boundPaths(json: string): BoundPath[] {
  const pairs = JSON.parse(json) as [string, string][];
  return pairs.map(([path, realPath]) => create(BoundPathSchema, { path, realPath }));
}
