import { join } from 'node:path';
import type { ExampleClient } from './example-client.ts';

/** The client of curl, jq and bash, which asks for its tools before anything else. */
export const curlClient: ExampleClient = {
  name: 'curl',
  folder: 'curl',
  prepare: ['bash', 'client.sh', '--help'],
  debianPackages: ['curl', 'jq'],
  command: (_printed, folder) => ['bash', join(folder, 'client.sh')],
};
