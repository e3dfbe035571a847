import { readFileSync } from 'node:fs';

/** Where cgroups of either version count the processes the kernel killed for memory, as seen inside a container. */
const COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'];

/** Notices when the kernel killed something in this sandbox for memory. */
export class MemoryKills {
  #seen = countKills();

  /** True when there were kills since the last time this was asked. */
  sinceLastTime(): boolean {
    const now = countKills();
    const isMore = now > this.#seen;
    this.#seen = now;
    return isMore;
  }
}

function countKills(): number {
  for (const path of COUNTERS) {
    try {
      const line = /^oom_kill (\d+)$/m.exec(readFileSync(path, 'latin1'));
      if (line !== null) return Number(line[1]);
    } catch {}
  }
  return 0;
}
