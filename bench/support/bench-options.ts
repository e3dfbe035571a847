/** How a benchmark is run. */
export interface BenchOptions {
  /** Measured calls of each subject. */
  readonly calls: number;
  /** Calls of each subject before the measuring. */
  readonly warmUpCalls: number;
  /** Options of Node for the measured programs, for example `--cpu-prof`. */
  readonly nodeOptions: readonly string[];
  readonly signal: AbortSignal;
}
