import type { Model } from '#gateway/models/model.ts';
import type { PermissionContext, PermissionFacts } from '#gateway/permissions/permission-call.ts';
import type { ReplyFence, ReplyRecord, Store, UnnumberedEvent } from '#gateway/store/store.ts';
import type { ArgumentChecker } from '#gateway/tools/check-arguments.ts';
import type { ExecutorPool } from '#gateway/tools/executor-pool.ts';
import type { GatewayTool } from '#gateway/tools/gateway-tool.ts';
import type { createSlotQueues } from '#gateway/tools/slot-queue.ts';
import type { OfferedTool } from '#gateway/tools/visible-tools.ts';
import type { PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { Logger } from '#kit/logger.ts';
import type { RuleCache } from './rule-cache.ts';
import type { ScriptAnalyser } from './script-analyser.ts';
import type { SessionPlaces } from './session-places.ts';

/** Limits of a gateway that the loop keeps. */
export interface LoopLimits {
  /** Model calls in one reply. */
  readonly maxIterations: number;
  /** Longest run of a tool call whose tool names none, in milliseconds. */
  readonly toolTimeoutMs: number;
  /** Raw output of one call that goes into the event log, in bytes; the rest is only in the result. */
  readonly loggedOutputBytes: number;
  /** Text of one result that the model gets, in bytes; the middle of a longer one is cut out. */
  readonly resultBytes: number;
}

/** What the loop needs of the gateway; the same for every reply. */
export interface LoopServices {
  readonly store: Store;
  readonly executors: ExecutorPool;
  readonly gatewayTools: readonly GatewayTool[];
  readonly slots: ReturnType<typeof createSlotQueues>;
  readonly checkArguments: ArgumentChecker;
  readonly resolveModel: (name: string) => Model;
  /** The operator's rules. */
  readonly policyRules: readonly PermissionRule[];
  /** The operator's other settings for decisions. */
  readonly permissionPolicy: Pick<PermissionContext, 'dangers' | 'trustedServers'> &
    Pick<PermissionFacts, 'trustsRepository'>;
  readonly compiledRules: RuleCache;
  readonly scripts: ScriptAnalyser;
  readonly places: SessionPlaces;
  readonly limits: LoopLimits;
  readonly logger: Logger;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
}

/** One reply at one moment, and how it may end early. */
export interface ReplyContext {
  readonly services: LoopServices;
  readonly reply: ReplyRecord;
  readonly session: Session;
  readonly user: string;
  /** Tools the session sees. */
  readonly tools: readonly OfferedTool[];
  /** Aborted when somebody interrupts the reply. */
  readonly interruptSignal: AbortSignal;
  /** Aborted when this gateway goes away; the reply then goes on elsewhere or later. */
  readonly leaveSignal: AbortSignal;
}

/** The fence of every write for this reply. */
export function fenceOf(reply: ReplyRecord): ReplyFence {
  return { replyId: reply.replyId, owner: reply.owner, epoch: reply.epoch };
}

/** Writes several events of a reply at once. */
export async function commitEvents(context: ReplyContext, events: readonly UnnumberedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { services, reply } = context;
  await services.store.commit({ sessionId: reply.sessionId, fence: fenceOf(reply), events });
}
