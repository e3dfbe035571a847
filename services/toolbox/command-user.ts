/** Runs synchronous file work with the rights of the commands' user. */
export interface CommandUser {
  /** For spawn: the commands' uid and gid, or nothing when they run as the toolbox itself. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /**
   * Runs `work` as the commands' user. It must be synchronous: the whole process changes its effective ids meanwhile,
   * and nothing else may run then.
   */
  run<T>(work: () => T): T;
}

/** The commands' user. Without ids the commands are the toolbox's own user, and `run` changes nothing. */
export function createCommandUser(
  ids: { readonly uid: number; readonly gid: number } | undefined,
): CommandUser {
  if (ids === undefined) return { ids: {}, run: work => work() };
  const { seteuid, setegid } = process;
  if (seteuid === undefined || setegid === undefined)
    throw new Error('this system has no user ids to switch');
  return {
    ids,
    run: work => {
      setegid(ids.gid);
      seteuid(ids.uid);
      try {
        return work();
      } finally {
        seteuid(0);
        setegid(0);
      }
    },
  };
}
