import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { LoopServices } from './reply-context.ts';
import type { ReplyRunner } from './reply-runner.ts';

/** Who answers, in which session. */
export interface Answering {
  readonly services: LoopServices;
  readonly runner: ReplyRunner;
  readonly session: Session;
  /** Principal of the person who answers. */
  readonly approver: string;
  /** Aborted when that person leaves. */
  readonly signal: AbortSignal;
}
