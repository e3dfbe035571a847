import type { Store } from '#gateway/store/store.ts';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';

/** Events that are read from the log at once. */
const PAGE = 256;

/** What a watcher gets: events in order, and a sign of life after a silence. */
export type Watched = { readonly kind: 'event'; readonly event: Event } | { readonly kind: 'silence' };

/** What to watch. */
export interface WatchOptions {
  readonly sessionId: string;
  /** Only events with a higher sequence. */
  readonly after: bigint;
  /** Ends after the last event that is there. */
  readonly replayOnly: boolean;
  /** Time without an event after which a sign of life is given, in milliseconds. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Events of a session, each exactly once and in order: first from the log, then as they are written. It reads only
 * when its consumer asks for more, so a slow consumer costs no memory. Ends when the session is deleted.
 */
export async function* watchEvents(store: Store, options: WatchOptions): AsyncGenerator<Watched> {
  const { sessionId, signal } = options;
  const doorbell = new Doorbell();
  const stop = store.onChange(sessionId, () => doorbell.ring());
  const leave = (): void => doorbell.ring();
  signal.addEventListener('abort', leave, { once: true });
  let after = options.after;
  try {
    while (!signal.aborted) {
      const page = await store.events(sessionId, after, PAGE);
      for (const event of page) {
        after = event.sequence;
        yield { kind: 'event', event };
      }
      if (page.length === PAGE) continue;
      if (options.replayOnly || (page.length === 0 && (await isGone(store, sessionId)))) return;
      if ((await doorbell.wait(options.silenceMs)) === 'silence') yield { kind: 'silence' };
    }
  } finally {
    stop();
    signal.removeEventListener('abort', leave);
  }
}

async function isGone(store: Store, sessionId: string): Promise<boolean> {
  return (await store.session(sessionId)) === undefined;
}

/** Remembers that something happened until somebody looks. */
class Doorbell {
  #rung = false;
  #answer: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#answer?.();
  }

  async wait(timeoutMs: number): Promise<'rung' | 'silence'> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>(resolve => {
        this.#answer = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#answer = undefined;
    }
    const rung = this.#rung;
    this.#rung = false;
    return rung ? 'rung' : 'silence';
  }
}
