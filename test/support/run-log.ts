/** What a test executor did with a call. */
export interface RunEntry {
  readonly what: 'started' | 'ended' | 'cancelled';
  readonly tool: string;
  readonly callId: string;
  readonly sessionId: string;
  /** Arguments as the executor received them, byte for byte. */
  readonly argumentsJson: string;
  /** Milliseconds of performance.now in the executor's process. */
  readonly atMs: number;
}

/** Everything a test executor did, in order, and a way to wait for more. */
export class RunLog {
  readonly entries: RunEntry[] = [];
  readonly #waiting = new Set<() => void>();

  add(entry: RunEntry): void {
    this.entries.push(entry);
    for (const look of this.#waiting) look();
  }

  /** Runs of a tool that were started. */
  started(tool: string): RunEntry[] {
    return this.entries.filter(entry => entry.what === 'started' && entry.tool === tool);
  }

  /** Resolves with the first entry that fits, now or later. The test's own timeout ends the wait. */
  until(what: RunEntry['what'], tool: string): Promise<RunEntry> {
    return new Promise(resolve => {
      const look = (): void => {
        const found = this.entries.find(entry => entry.what === what && entry.tool === tool);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
