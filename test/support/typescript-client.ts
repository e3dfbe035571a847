import { join } from 'node:path';
import type { ExampleClient } from './example-client.ts';

/** The client in TypeScript, which Node runs as it is. */
export const typescriptClient: ExampleClient = {
  name: 'TypeScript',
  folder: 'typescript',
  command: (_printed, folder) => [process.execPath, join(folder, 'main.ts')],
};
