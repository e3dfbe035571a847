import type { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { Message, TokenUsage } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

/** Answers one request at a time; keeps nothing between requests, so one value serves every session. */
export interface Model {
  /** The name it was resolved from, for example "openai:gpt-5". */
  readonly name: string;
  /**
   * Ends with exactly one finish chunk, or throws a ModelError. When the signal aborts it ends at once by
   * throwing the signal's reason, and lets go of the connection.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** Everything a model may know. */
export interface ModelRequest {
  /** What the agent is told to be; empty for none. */
  readonly instructions: string;
  /** The history, in order; each assistant message with calls is followed by one message with their results. */
  readonly messages: readonly Message[];
  /** The tools the model may call. */
  readonly tools: readonly ToolSpec[];
  /** The session, for logs. */
  readonly sessionId: string;
  /** Counts the model calls of the reply from 1. */
  readonly iteration: number;
}

/** A piece of an answer. */
export type ModelChunk = TextChunk | ThinkingChunk | ToolCallChunk | FinishChunk;

/** More of what the model says. */
export interface TextChunk {
  readonly kind: 'text';
  readonly text: string;
}

/** More of what the model thinks. */
export interface ThinkingChunk {
  readonly kind: 'thinking';
  readonly text: string;
  /** True where thoughts before this one must stay apart, since a provider signs each block of them. */
  readonly beginsBlock?: boolean;
  readonly providerMetadataJson?: string;
}

/** More of a call: belongs to the call with the same non-empty id, else the same index, else the current one. */
export interface ToolCallChunk {
  readonly kind: 'tool-call';
  /** Empty where the provider gave none. */
  readonly providerCallId: string;
  /** Position of the call in the answer, from 0; -1 where the provider gave none. */
  readonly index: number;
  /** Empty in pieces that only carry more arguments. */
  readonly name: string;
  readonly argumentsDelta: string;
  readonly providerMetadataJson?: string;
}

/** The end of the answer. */
export interface FinishChunk {
  readonly kind: 'finish';
  readonly finish: ModelFinish;
  readonly usage: TokenUsage;
}

/** What went wrong with a model call. */
export type ModelErrorReason =
  /** No connection, or it broke before the answer began. */
  | 'UNREACHABLE'
  /** The provider understood and said no: a wrong key, an unknown model, a request it does not accept. */
  | 'REFUSED'
  /** Too many requests or tokens, or no quota left. */
  | 'RATE_LIMITED'
  /** The provider has a fault or is overloaded. */
  | 'UNAVAILABLE'
  /** The answer took longer than the configured time. */
  | 'TIMED_OUT'
  /** The answer was cut, or is not what the wire format demands. */
  | 'BROKEN_STREAM'
  /** The configuration lacks something the call needs, such as the key. */
  | 'NOT_CONFIGURED'
  /** The script is wrong, or what it expects did not happen. */
  | 'BAD_SCRIPT';

const RETRYABLE_REASONS: ReadonlySet<ModelErrorReason> = new Set([
  'UNREACHABLE',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'TIMED_OUT',
  'BROKEN_STREAM',
]);

/** Why a model call failed; the message is fit for the user and the event log and carries no secret. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly reason: ModelErrorReason;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(options: {
    reason: ModelErrorReason;
    message: string;
    retryable?: boolean;
    retryAfterMs?: number | undefined;
    cause?: unknown;
  }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = options.reason;
    this.retryable = options.retryable ?? RETRYABLE_REASONS.has(options.reason);
    this.retryAfterMs = options.retryAfterMs;
  }
}
