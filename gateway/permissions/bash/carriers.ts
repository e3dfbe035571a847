/** How a program that runs another command finds it among its own words. */
export interface Carrier {
  /** Options that take the next word as their value. */
  readonly valueOptions: readonly string[];
  /** Words between the options and the command. */
  readonly operands: number;
  /** Options with which the carried command runs just as it would alone; undefined when it never does. */
  readonly transparentOptions?: readonly string[];
  /** True when leading NAME=value words are its own. */
  readonly takesAssignments?: boolean;
  /** Options whose value is a script. */
  readonly scriptOptions?: readonly string[];
}

const list = (options: string): string[] => options.split(' ').filter(option => option !== '');

const opaque = (valueOptions = '', operands = 0): Carrier => ({
  valueOptions: list(valueOptions),
  operands,
});

const transparent = (valueOptions = '', otherOptions = '', operands = 0): Carrier => ({
  valueOptions: list(valueOptions),
  operands,
  transparentOptions: list(`${valueOptions} ${otherOptions}`),
});

// Its operands are no command; only the option's value is.
const callback = (valueOptions: string): Carrier => ({
  ...opaque(valueOptions, Number.POSITIVE_INFINITY),
  scriptOptions: ['-C', '-F'],
});

/**
 * Programs whose words hold another command, by name. From their manual pages: bash 5.2, coreutils 9.1,
 * util-linux 2.38, findutils 4.9, sudo 1.9.
 */
const carriers: ReadonlyMap<string, Carrier> = new Map<string, Carrier>([
  ['timeout', transparent('-s --signal -k --kill-after', '-v --verbose --foreground --preserve-status', 1)],
  ['nice', transparent('-n --adjustment')],
  ['nohup', transparent()],
  ['stdbuf', transparent('-i -o -e --input --output --error')],
  ['command', transparent()],
  ['builtin', transparent()],
  ['time', { ...opaque('-f --format -o --output'), transparentOptions: ['-p'] }],
  ['exec', opaque('-a')],
  [
    'env',
    {
      ...opaque('-u --unset -C --chdir'),
      takesAssignments: true,
      scriptOptions: ['-S', '--split-string'],
    },
  ],
  [
    'sudo',
    {
      ...opaque('-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot'),
      takesAssignments: true,
    },
  ],
  ['doas', opaque('-u -C')],
  ['setsid', opaque()],
  ['ionice', opaque('-c --class -n --classdata -p -P -u')],
  ['chrt', opaque('-T -P -D', 1)],
  ['taskset', opaque('', 1)],
  [
    'flock',
    {
      ...opaque('-w --wait --timeout -E --conflict-exit-code', 1),
      scriptOptions: ['-c', '--command'],
    },
  ],
  ['xargs', opaque('-I -n -P -L -d -a -E -s --max-args --max-procs --arg-file --delimiter')],
  ['watch', opaque('-n --interval')],
  ['chroot', opaque('', 1)],
  ['unshare', opaque()],
  ['nsenter', opaque('-t --target -S -G')],
  ['strace', opaque('-e -o -p -s -u -E -a -P')],
  ['ltrace', opaque('-e -o -p -s -u -n')],
  ['setpriv', opaque()],
  ['prlimit', opaque()],
  ['dbus-run-session', opaque()],
  ['xvfb-run', opaque('-s -n -e -f -p -w')],
  ['busybox', opaque()],
  ['toybox', opaque()],
  ['parallel', opaque('-j --jobs -a --colsep')],
  ['mapfile', callback('-d -n -O -s -t -u -c')],
  ['readarray', callback('-d -n -O -s -t -u -c')],
  ['compgen', callback('-o -A -G -W -P -S -X')],
  ['complete', callback('-o -A -G -W -P -S -X')],
  ['su', { ...opaque('-s -g -G', 1), scriptOptions: ['-c', '--command'] }],
  ['runuser', { ...opaque('-u -g -G -s'), scriptOptions: ['-c', '--command'] }],
  ['script', { ...opaque('-I -O -B', 1), scriptOptions: ['-c', '--command'] }],
]);

const loader = opaque('--library-path --preload --audit --argv0');

/** The carrier of this name; the dynamic loader, which runs the program that is its first operand, is one too. */
export function carrierNamed(programName: string): Carrier | undefined {
  const isLoader = /^ld(-linux.*|-musl.*)?(-\d[\d.]*)?\.so(\.\d+)*$/.test(programName);
  return carriers.get(programName) ?? (isLoader ? loader : undefined);
}
