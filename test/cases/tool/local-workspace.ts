import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { CaseEntry, CaseWorkspace, FoundFile } from './case-workspace.ts';

/** A workspace that is a folder of this machine. */
export function localWorkspace(path: string): CaseWorkspace {
  return {
    path,
    put: async (relative, entry) => putEntry(join(path, relative), entry),
    find: async relative => findFile(join(path, relative)),
    list: async () =>
      readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
        name => !lstatSync(join(path, name)).isDirectory(),
      ),
    gitInit: async () => void execFileSync('git', ['init', '-q', path]),
    processes: async () => processCommands(),
  };
}

function putEntry(place: string, entry: CaseEntry): void {
  mkdirSync(dirname(place), { recursive: true });
  if (entry.kind === 'symlink') symlinkSync(entry.target, place);
  else if (entry.kind === 'fifo') execFileSync('mkfifo', [place]);
  else
    writeFileSync(
      place,
      entry.bytes,
      entry.mode === undefined ? {} : { mode: Number.parseInt(entry.mode, 8) },
    );
}

function findFile(place: string): FoundFile | undefined {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const symlink = found.isSymbolicLink() ? readlinkSync(place) : undefined;
  const bytes = found.isFile() ? readFileSync(place) : Buffer.alloc(0);
  return { bytes, symlink, mode: (found.mode & 0o7777).toString(8) };
}

function processCommands(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
          .replaceAll('\0', ' ')
          .trim();
      } catch {
        // It ended meanwhile.
        return '';
      }
    });
}
