import type { CallFacts } from './call-facts.ts';

/** Sessions whose place is kept; one that fell out is asked for again. */
const KEPT_PLACES = 10_000;

/** Where sessions are on their executors, as last seen. Only a memory: what it says is checked again by each call. */
export interface SessionPlaces {
  get(key: string): CallFacts | undefined;
  set(key: string, facts: CallFacts): void;
  /** Forgets a place that turned out to be wrong. */
  forget(key: string): void;
}

/** Name of a session's place on one executor. */
export function placeKey(sessionId: string, executor: string): string {
  return `${executor}/${sessionId}`;
}

/** An empty memory; the place that was seen first is dropped when it is full. */
export function createSessionPlaces(): SessionPlaces {
  const places = new Map<string, CallFacts>();
  return {
    get: key => places.get(key),
    set: (key, facts) => {
      places.delete(key);
      places.set(key, facts);
      const [oldest] = places.keys();
      if (places.size > KEPT_PLACES && oldest !== undefined) places.delete(oldest);
    },
    forget: key => {
      places.delete(key);
    },
  };
}
