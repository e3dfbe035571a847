/** What one look found. */
export interface Finding {
  /** What was looked at. */
  readonly what: string;
  /** What is wrong and how to mend it; absent when all is well. */
  readonly problem?: string;
}

/** A finding; without a problem all is well. */
export function finding(what: string, problem: string | undefined): Finding {
  return problem === undefined ? { what } : { what, problem };
}
