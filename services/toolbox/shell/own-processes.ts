/** Processes the toolbox runs for itself; ending a call never touches them. */
export class OwnProcesses {
  readonly #pids = new Set<number>([process.pid]);

  /** Adds a child, unless it did not start; call what is returned once it has ended or became a call's own. */
  add(pid: number | undefined): () => void {
    if (pid === undefined) return () => undefined;
    this.#pids.add(pid);
    return () => this.#pids.delete(pid);
  }

  has(pid: number): boolean {
    return this.#pids.has(pid);
  }
}
