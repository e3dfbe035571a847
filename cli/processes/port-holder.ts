import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** State of a listening socket in /proc/net/tcp. */
const LISTENING = '0A';

/** Who listens on a TCP port of this machine, such as "nginx, process 812"; undefined where the kernel does not tell. */
export function portHolder(port: number): string | undefined {
  if (!existsSync('/proc/net/tcp')) return undefined;
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap(path => listeningSockets(path, port)));
  if (sockets.size === 0) return undefined;
  const pid = readdirSync('/proc').find(name => /^\d+$/.test(name) && holdsAny(name, sockets));
  return pid === undefined ? undefined : `${programOf(pid)}, process ${pid}`;
}

/** Inodes of the sockets that listen on the port; proc(5) has the columns. */
function listeningSockets(path: string, port: number): string[] {
  if (!existsSync(path)) return [];
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync(path, 'utf8').trim().split('\n').slice(1);
  return rows.flatMap(row => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    return state === LISTENING && local.endsWith(suffix) ? [`socket:[${inode}]`] : [];
  });
}

/** False too for a process of somebody else, whose files only root may see, and for one that ended meanwhile. */
function holdsAny(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some(fd => sockets.has(readlinkSync(`${folder}/${fd}`)));
  } catch {
    return false;
  }
}

function programOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a program';
  }
}
