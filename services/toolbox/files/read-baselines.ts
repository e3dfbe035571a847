import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { ToolFailure } from '#toolbox/tool-failure.ts';
import type { LocatedPath } from '#toolbox/workspace.ts';

interface Baseline {
  readonly modifiedNs: bigint;
  readonly sizeBytes: bigint;
  /** Undefined for a file of which only a part was read. */
  readonly digest: string | undefined;
}

/** Files remembered at most; the one used longest ago is forgotten first. */
const MAX_BASELINES = 10_000;

/** Digest that baselines compare contents by. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** What the agent has last seen of each file, by real path, so that it never overwrites what it has not seen. */
export class ReadBaselines {
  readonly #baselines = new Map<string, Baseline>();

  /** Remembers a file as read or written by the agent. */
  remember(realPath: string, stats: BigIntStats, digest: string | undefined): void {
    this.#baselines.delete(realPath);
    this.#baselines.set(realPath, { modifiedNs: stats.mtimeNs, sizeBytes: stats.size, digest });
    const oldest = this.#baselines.keys().next();
    if (this.#baselines.size > MAX_BASELINES && oldest.value !== undefined) {
      this.#baselines.delete(oldest.value);
    }
  }

  /**
   * Throws when the file differs from what the agent saw. A file it never saw passes. Contents decide where they are
   * known: a file that was only touched has not changed, and one rewritten within a clock tick has.
   */
  requireUnchanged(path: LocatedPath, stats: BigIntStats, content: () => Uint8Array): void {
    const baseline = this.#baselines.get(path.realPath);
    if (baseline === undefined) return;
    const isSame =
      baseline.digest === undefined
        ? baseline.modifiedNs === stats.mtimeNs
        : baseline.sizeBytes === stats.size && baseline.digest === digestOf(content());
    if (isSame && baseline.sizeBytes === stats.size) return;
    throw new ToolFailure(
      `${path.asked} has changed since it was read. Nothing was written; read it again, then decide.`,
    );
  }
}
