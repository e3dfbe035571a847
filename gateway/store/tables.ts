import type { Generated } from 'kysely';
import type { ReplyKind, ReplyState, StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { CallState } from './store.ts';

/** The tables as Kysely sees them. Bodies are binary protobuf messages; times are milliseconds since 1970. */
export interface Tables {
  sessions: SessionsTable;
  replies: RepliesTable;
  calls: CallsTable;
  messages: MessagesTable;
  events: EventsTable;
  rules: RulesTable;
  tokens: TokensTable;
}

interface SessionsTable {
  session_id: string;
  user_name: string;
  created_at: number;
  last_sequence: Generated<number>;
  message_count: Generated<number>;
  body: Uint8Array;
}

/** A row of `replies`. */
export interface RepliesTable {
  reply_id: string;
  session_id: string;
  kind: ReplyKind;
  state: ReplyState;
  stop_reason: StopReason;
  iterations: number;
  usage: Uint8Array;
  error: string;
  request_id: string | null;
  stop_requested: number;
  first_sequence: number;
  owner: string;
  epoch: number;
}

/** A row of `calls`. */
export interface CallsTable {
  call_id: string;
  session_id: string;
  reply_id: string;
  iteration: number;
  position: number;
  provider_call_id: string;
  tool_name: string;
  arguments_text: string;
  arguments_json: string;
  edited: number;
  state: CallState;
  decision: Uint8Array | null;
  bound_paths: string;
  result: Uint8Array | null;
  executor: string;
  attempt: number;
  timeout_ms: number;
}

interface MessagesTable {
  session_id: string;
  position: number;
  body: Uint8Array;
}

interface EventsTable {
  session_id: string;
  sequence: number;
  body: Uint8Array;
}

interface RulesTable {
  rule_id: string;
  /** Whose rule it is, for rules of a user; null for rules of a session. */
  user_name: string | null;
  session_id: string | null;
  body: Uint8Array;
}

interface TokensTable {
  token_id: string;
  principal: string;
  scopes: string;
  hash: string;
  created_at: number;
}
