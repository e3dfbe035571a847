import { DatabaseSync } from 'node:sqlite';

/** Another gateway works on the data folder. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';
}

/**
 * Holds a data folder for one process until it is disposed or the process ends, however it ends: the lock is the
 * operating system's, on a database that holds nothing. Throws DataFolderInUseError while another process has it.
 */
export function lockDataFolder(path: string): Disposable {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    database.close();
    throw new DataFolderInUseError(
      'another gateway works on this data folder; stop it first, or choose another folder with TOOLGATE_DATA',
      { cause: error },
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}
