import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Serves the page and its script on loopback; port 0 takes a free one. The caller closes the server. */
export async function servePage(port: number): Promise<Server> {
  const html = await readFile(new URL('page.html', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const script = outputFiles[0]?.contents ?? '';
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        // The page shows what models and tools write, so no other script may run on it.
        'content-security-policy': "default-src 'none'; script-src 'self'; connect-src http: https:",
      });
      response.end(html);
    } else if (request.url === '/page.js') {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' });
      response.end(script);
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Origin of a page that is served. */
export function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
