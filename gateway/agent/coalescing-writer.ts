import type { UnnumberedEvent } from '#gateway/store/store.ts';

/** Longest time an event waits to be written with its neighbours; short enough that people see text flow. */
const FLUSH_AFTER_MS = 20;

/**
 * Writes a fast sequence of events in few transactions. Neighbouring events for which `merge` finds a common form
 * become one. `add` resolves when there is room for more, so that a fast producer waits for the store.
 */
export class CoalescingWriter {
  readonly #write: (events: readonly UnnumberedEvent[]) => Promise<void>;
  readonly #merge: (before: UnnumberedEvent, after: UnnumberedEvent) => UnnumberedEvent | undefined;
  #waiting: UnnumberedEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(
    write: (events: readonly UnnumberedEvent[]) => Promise<void>,
    merge: (before: UnnumberedEvent, after: UnnumberedEvent) => UnnumberedEvent | undefined,
  ) {
    this.#write = write;
    this.#merge = merge;
  }

  /** Takes an event. Rejects once writing has failed. */
  async add(event: UnnumberedEvent): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? undefined : this.#merge(last, event);
    if (merged === undefined) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = merged;
    this.#timer ??= setTimeout(() => this.#begin(), FLUSH_AFTER_MS);
    await this.#writing;
  }

  /** Writes all that waits. Rejects when any write failed. */
  async flush(): Promise<void> {
    this.#begin();
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Takes what waits without writing it, for a caller that writes it together with something else. */
  async takeRest(): Promise<readonly UnnumberedEvent[]> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rest = this.#waiting;
    this.#waiting = [];
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
    return rest;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#writing = this.#writing
      .then(() => this.#write(events))
      .catch((error: unknown) => {
        this.#failure ??= error;
      });
  }
}
