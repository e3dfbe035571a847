/** Who the commands are and where they live. */
export interface ShellIdentity {
  readonly home: string;
  readonly userName: string;
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Taken over from the toolbox's own environment; everything else stays outside. */
const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;
/** Begins the names of what a session chose for its commands, so that it cannot change how the toolbox itself runs. */
const CHOSEN_PREFIX = 'TOOLGATE_COMMAND_ENV_';

/**
 * The whole environment of a command. Nothing that waits for a person: editors answer at once with what is there,
 * pagers print, and git, ssh, apt and pip fail instead of asking.
 */
export function shellEnvironment(outer: NodeJS.ProcessEnv, identity: ShellIdentity): Record<string, string> {
  const inherited = INHERITED.flatMap(name => {
    const value = outer[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: DEFAULT_PATH,
    LANG: 'C.UTF-8',
    ...Object.fromEntries(inherited),
    HOME: identity.home,
    USER: identity.userName,
    LOGNAME: identity.userName,
    SHELL: '/bin/bash',
    TERM: 'dumb',
    EDITOR: 'true',
    VISUAL: 'true',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    MANPAGER: 'cat',
    SYSTEMD_PAGER: 'cat',
    DEBIAN_FRONTEND: 'noninteractive',
    PIP_NO_INPUT: '1',
    ...chosen(outer),
  };
}

function chosen(outer: NodeJS.ProcessEnv): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(outer)) {
    if (value !== undefined && name.startsWith(CHOSEN_PREFIX))
      variables[name.slice(CHOSEN_PREFIX.length)] = value;
  }
  return variables;
}
