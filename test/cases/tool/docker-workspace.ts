import { spawnSync } from 'node:child_process';
import { posix } from 'node:path';
import Docker from 'dockerode';
import { LABEL } from '#sandbox/container-options.ts';
import type { CaseEntry, CaseWorkspace, FoundFile } from './case-workspace.ts';

const WORKSPACE = '/workspace';
/** The user that the commands of a sandbox run as. */
const USER = '1000:1000';

/** The workspace in the container of a session; the container must be there already. */
export async function dockerWorkspace(owner: string, sessionId: string): Promise<CaseWorkspace> {
  const label = [`${LABEL.owner}=${owner}`, `${LABEL.session}=${sessionId}`];
  const [found] = await new Docker().listContainers({ filters: { label } });
  if (found === undefined) throw new Error(`session ${sessionId} has no container`);
  const { Id: id } = found;
  return {
    path: WORKSPACE,
    put: async (path, entry) => put(id, posix.join(WORKSPACE, path), entry),
    find: async path => findFile(id, posix.join(WORKSPACE, path)),
    list: async () =>
      shell(id, 'cd "$1" && find . -not -type d -printf "%P\\n"', [WORKSPACE])
        .toString('utf8')
        .split('\n')
        .filter(Boolean),
    gitInit: async () => void shell(id, 'git init -q "$1"', [WORKSPACE]),
    processes: async () =>
      shell(id, 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " < "$f"; echo; done 2>/dev/null', [])
        .toString('utf8')
        .split('\n'),
  };
}

function put(id: string, place: string, entry: CaseEntry): void {
  const folder = posix.dirname(place);
  if (entry.kind === 'symlink') shell(id, 'mkdir -p "$1" && ln -s "$2" "$3"', [folder, entry.target, place]);
  else if (entry.kind === 'fifo') shell(id, 'mkdir -p "$1" && mkfifo "$2"', [folder, place]);
  else {
    shell(id, 'mkdir -p "$1" && cat > "$2"', [folder, place], entry.bytes);
    if (entry.mode !== undefined) shell(id, 'chmod "$1" "$2"', [entry.mode, place]);
  }
}

function findFile(id: string, place: string): FoundFile | undefined {
  const stat = shell(id, 'stat -c "%F|%a" "$1" 2>/dev/null || true', [place]).toString('utf8').trim();
  const [kind, mode = ''] = stat.split('|');
  if (stat === '') return undefined;
  const isLink = kind === 'symbolic link';
  const target = isLink ? shell(id, 'readlink -n "$1"', [place]).toString('utf8') : undefined;
  const bytes = isLink || kind === 'directory' ? Buffer.alloc(0) : shell(id, 'cat "$1"', [place]);
  return { bytes, symlink: target, mode };
}

function shell(id: string, script: string, values: readonly string[], input?: Buffer): Buffer {
  const words = ['exec', '-i', '-u', USER, id, 'bash', '-c', script, 'case', ...values];
  const { status, stdout, stderr } = spawnSync('docker', words, {
    input: input ?? '',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${script} in the container: ${stderr.toString('utf8')}`);
  return stdout;
}
