// Serves the page on the port of the first argument, 8080 without one.
import { originOf, servePage } from './serve-page.ts';

const server = await servePage(Number(process.argv[2] ?? 8080));
process.stdout.write(`${originOf(server)}\n`);
