import type { ExampleClient } from './example-client.ts';

/** The client in Go, built by its prepare.sh. */
export const goClient: ExampleClient = {
  name: 'Go',
  folder: 'go',
  prepare: ['bash', 'prepare.sh'],
  command: program => [program],
};
