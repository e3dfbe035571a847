import type { LoopServices } from '#gateway/agent/reply-context.ts';
import type { ReplyStarter } from '#gateway/agent/start-reply.ts';

/** What the services of the API share. */
export interface ApiContext extends ReplyStarter {
  readonly services: LoopServices;
  readonly agentsDir: string;
  /** Aborted when the gateway begins to drain: no new work is taken. */
  readonly drainSignal: AbortSignal;
  /** Aborted when running replies had their time to end: streams end. */
  readonly endSignal: AbortSignal;
}

/** Time without an event after which a watcher gets a sign of life; below the idle limit of common proxies (60 s). */
export const SILENCE_MS = 15_000;
