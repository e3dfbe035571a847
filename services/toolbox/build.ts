import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** Where a build lies. */
export interface ToolboxBuild {
  /** The toolbox in one file, for Node 24. */
  readonly bundlePath: string;
  /** Its manifest as JSON. */
  readonly manifestPath: string;
}

/** Bundles the toolbox and writes its manifest beside it; replaces an earlier build. */
export async function buildToolbox(options: { readonly outDir: string }): Promise<ToolboxBuild> {
  const bundlePath = join(options.outDir, 'toolbox.mjs');
  const manifestPath = join(options.outDir, 'tools.json');
  mkdirSync(options.outDir, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    outfile: bundlePath,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: REQUIRE_FOR_COMMONJS },
    logLevel: 'error',
  });
  writeFileSync(manifestPath, execFileSync(process.execPath, [bundlePath, 'describe']));
  return { bundlePath, manifestPath };
}

/** CommonJS packages inside an ES module bundle still call require for Node's own modules. */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

if (import.meta.main) {
  const outDir = resolve(process.argv[2] ?? 'dist/toolbox');
  const { bundlePath } = await buildToolbox({ outDir });
  process.stdout.write(`${bundlePath}\n`);
}
