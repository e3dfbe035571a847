import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createGatewayFolder } from '#test/gateway-folder.ts';
import { startGatewayOn } from '#test/test-gateway.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

it('makes a gateway that the command line reaches over TLS, by what docs/security.md says', async () => {
  const page = await readFile(join(root, 'docs', 'security.md'), 'utf8');
  const block = (kind: string): string => {
    const text = new RegExp(`\`\`\`${kind}\n([^]*?)\`\`\``).exec(page)?.[1];
    if (text === undefined) throw new Error(`docs/security.md has no block of ${kind}`);
    return text;
  };
  await using folder = await createGatewayFolder({ settings: parse(block('yaml')) });
  await run('sh', ['-euc', block('sh')], { cwd: folder.dir });
  await using gateway = await startGatewayOn(folder);
  const tokenFile = join(folder.dataDir, 'tokens', 'owner.token');
  const listTools = (env: NodeJS.ProcessEnv) =>
    run(
      process.execPath,
      [join(root, 'cli', 'toolgate.ts'), '--address', gateway.address, '--token-file', tokenFile, 'tools'],
      { env: { ...process.env, ...env } },
    );
  const trusting = await listTools({ NODE_EXTRA_CA_CERTS: join(folder.dir, 'ca.pem') });
  expect(trusting.stdout).toContain('TodoWrite');
  await expect(listTools({})).rejects.toMatchObject({ code: 4 });
});
