import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { type SandboxSettings, SandboxSettingsSchema } from '#gen/toolgate/sandbox/v1/sandbox_service_pb.ts';
import { sessionName } from '#sandbox/session-name.ts';

/** What sessions chose, in files below the data folder, so that it holds for every sandbox and after a restart. */
export interface SessionSettings {
  get(sessionId: string): SandboxSettings | undefined;
  set(sessionId: string, settings: SandboxSettings): void;
  remove(sessionId: string): void;
}

/** Settings kept in `DATA_DIR/settings`; only this user may read them, since an environment may hold secrets. */
export function createSessionSettings(dataDir: string): SessionSettings {
  const folder = join(dataDir, 'settings');
  const fileOf = (sessionId: string): string => join(folder, `${sessionName(sessionId)}.json`);
  return {
    get: sessionId => {
      const text = readIfThere(fileOf(sessionId));
      return text === undefined ? undefined : fromJsonString(SandboxSettingsSchema, text);
    },
    set: (sessionId, settings) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(sessionId);
      writeFileSync(`${file}.new`, toJsonString(SandboxSettingsSchema, settings), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    remove: sessionId => rmSync(fileOf(sessionId), { force: true }),
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
