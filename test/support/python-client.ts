import { join } from 'node:path';
import type { ExampleClient } from './example-client.ts';

/** The client in Python, in the environment that its prepare.py makes. */
export const pythonClient: ExampleClient = {
  name: 'Python',
  folder: 'python',
  prepare: ['python3', 'prepare.py'],
  debianPackages: ['python3', 'python3-venv'],
  command: (python, folder) => [python, join(folder, 'client.py')],
};
