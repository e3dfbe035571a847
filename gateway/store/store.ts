import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { Message, TokenUsage } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { Decision, PermissionRule } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { ReplyKind, ReplyState, Session, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { BoundPath } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import type { ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/**
 * A session as it is stored. `session` carries what its owner chose; what can be derived (active reply, pending calls,
 * last sequence) is left empty there.
 */
export interface SessionRecord {
  readonly sessionId: string;
  readonly user: string;
  readonly createdAtMs: number;
  readonly session: Session;
}

/** A reply as it is stored. `owner` and `epoch` fence its writes. */
export interface ReplyRecord {
  readonly replyId: string;
  readonly sessionId: string;
  readonly kind: ReplyKind;
  readonly state: ReplyState;
  readonly stopReason: StopReason;
  /** Model calls so far; calls carry the number of the one that made them. */
  readonly iterations: number;
  readonly usage: TokenUsage;
  readonly error: string;
  readonly requestId: string;
  /** True once somebody asked it to stop. */
  readonly stopRequested: boolean;
  /** Sequence of its first event. */
  readonly firstSequence: bigint;
  readonly owner: string;
  readonly epoch: number;
}

/**
 * Where a call stands. PENDING: not decided. ASKING: waits for a person. ALLOWED: may run. SUBMITTED: handed to its
 * executor. FINISHED: has a result.
 */
export type CallState = 'PENDING' | 'ASKING' | 'ALLOWED' | 'SUBMITTED' | 'FINISHED';

/** A tool call as it is stored. */
export interface CallRecord {
  readonly callId: string;
  readonly sessionId: string;
  readonly replyId: string;
  /** The model call that made it; 0 for a direct call. */
  readonly iteration: number;
  /** Position among the calls of that model call. */
  readonly index: number;
  readonly providerCallId: string;
  /** Name as the model wrote it. */
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly argumentsText: string;
  /** Arguments as they run, a JSON object; empty until they were checked. */
  readonly argumentsJson: string;
  /** True when a person changed the arguments before they allowed the call. */
  readonly edited: boolean;
  readonly state: CallState;
  readonly decision?: Decision;
  readonly boundPaths: readonly BoundPath[];
  readonly result?: ToolResult;
  /** Executor it was handed to; empty before that. */
  readonly executor: string;
  readonly attempt: number;
  /** Longest run the caller asked for, in milliseconds; 0 for the tool's own. */
  readonly timeoutMs: number;
}

/** Who writes, so that a gateway that lost a reply cannot change it any more. */
export interface ReplyFence {
  readonly replyId: string;
  readonly owner: string;
  readonly epoch: number;
}

/** What changes of a reply. */
export type ReplyPatch = Partial<
  Pick<ReplyRecord, 'state' | 'stopReason' | 'iterations' | 'usage' | 'error' | 'stopRequested'>
>;

/** An event before the store numbers it. */
export type UnnumberedEvent = Pick<Event, 'replyId' | 'time' | 'event'>;

/** Several writes that happen together or not at all. */
export interface Change {
  readonly sessionId: string;
  /** Refuses the whole change unless the reply is open and still belongs to this owner and epoch. */
  readonly fence?: ReplyFence;
  readonly newReply?: Omit<ReplyRecord, 'firstSequence'>;
  readonly reply?: ReplyPatch;
  readonly messages?: readonly Message[];
  /** Calls to write, new ones and changed ones alike. */
  readonly calls?: readonly CallRecord[];
  readonly events?: readonly UnnumberedEvent[];
  /** Changes the session inside the transaction, so that two writers cannot undo one another; gives further events. */
  readonly updateSession?: (session: Session) => readonly UnnumberedEvent[];
  /** A rule to keep; one with RULE_SOURCE_USER belongs to `user`. */
  readonly keepRule?: { readonly rule: PermissionRule; readonly user: string };
  /** Refuses the whole change unless this call is still in this state. */
  readonly expect?: { readonly callId: string; readonly state: CallState };
}

/** A token as it is stored: its hash, never itself. */
export interface TokenRecord {
  readonly tokenId: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly hash: string;
  readonly createdAtMs: number;
}

/** The reply has ended, or was taken over by another gateway or another life of this one. */
export class StaleOwnerError extends Error {
  override readonly name = 'StaleOwnerError';
}

/** The session has a reply that has not finished, so it takes no other message. */
export class OpenReplyError extends Error {
  override readonly name = 'OpenReplyError';
  readonly replyId: string;
  constructor(replyId: string) {
    super(`reply ${replyId} has not finished`);
    this.replyId = replyId;
  }
}

/** A reply with this request id exists in the session. */
export class DuplicateRequestError extends Error {
  override readonly name = 'DuplicateRequestError';
}

/** The call was answered or ended before. */
export class CallMovedError extends Error {
  override readonly name = 'CallMovedError';
}

/** Everything durable of a gateway. All methods are safe to call at the same time. */
export interface Store extends AsyncDisposable {
  /**
   * Applies a change in one transaction. Throws StaleOwnerError when its fence does not hold, CallMovedError when its
   * expectation does not, OpenReplyError and DuplicateRequestError when its new reply may not be.
   */
  commit(change: Change): Promise<void>;
  createSession(record: SessionRecord, rules: readonly PermissionRule[]): Promise<void>;
  session(sessionId: string): Promise<SessionRecord | undefined>;
  /** Newest first; `user` undefined means everybody's; `before` is the creation time and id to go on after. */
  sessions(query: SessionQuery): Promise<SessionRecord[]>;
  /** Removes the session with its events, messages, replies, calls and rules. */
  deleteSession(sessionId: string): Promise<void>;
  messages(sessionId: string): Promise<Message[]>;
  reply(replyId: string): Promise<ReplyRecord | undefined>;
  replyByRequest(sessionId: string, requestId: string): Promise<ReplyRecord | undefined>;
  /** Replies of a session that have not finished, oldest first. */
  openReplies(sessionId: string): Promise<ReplyRecord[]>;
  /** Takes every reply that has not finished under a new epoch of this owner, and returns them. */
  takeOver(owner: string): Promise<ReplyRecord[]>;
  calls(replyId: string): Promise<CallRecord[]>;
  call(callId: string): Promise<CallRecord | undefined>;
  /** Events after a sequence number, in order, at most `limit`. */
  events(sessionId: string, after: bigint, limit: number): Promise<Event[]>;
  lastSequence(sessionId: string): Promise<bigint>;
  /** Calls `wake` after each commit that touched the session, until the returned function is called. */
  onChange(sessionId: string, wake: () => void): () => void;
  /** Rules of a user and of a session. */
  rules(user: string, sessionId: string): Promise<PermissionRule[]>;
  rule(ruleId: string): Promise<PermissionRule | undefined>;
  /** Writes a rule; for RULE_SOURCE_USER it belongs to `user`. */
  putRule(rule: PermissionRule, user: string): Promise<void>;
  deleteRule(ruleId: string): Promise<void>;
  tokens(): Promise<TokenRecord[]>;
  /** Writes tokens, all or none; earlier ones of the same principals are revoked. */
  putTokens(tokens: readonly TokenRecord[]): Promise<void>;
}

/** Which sessions to list. */
export interface SessionQuery {
  readonly user?: string;
  readonly limit: number;
  readonly before?: { readonly createdAtMs: number; readonly sessionId: string };
  /** Only sessions with a call that waits for a person. */
  readonly pendingOnly: boolean;
}
