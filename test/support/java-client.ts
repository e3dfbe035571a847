import type { ExampleClient } from './example-client.ts';

/** The client in Java, built with Maven by its prepare.sh. */
export const javaClient: ExampleClient = {
  name: 'Java',
  folder: 'java',
  prepare: ['bash', 'prepare.sh'],
  command: argumentsFile => ['java', `@${argumentsFile}`],
};
