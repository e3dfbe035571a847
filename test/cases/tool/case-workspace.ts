import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const modeSchema = z
  .string()
  .regex(/^[0-7]{3,4}$/)
  .transform(text => Number.parseInt(text, 8))
  .optional();

const repeatSchema = z.strictObject({
  prefix: z.string().default(''),
  text: z.string(),
  times: z.int().min(0),
  suffix: z.string().default(''),
});

const entrySchema = z.union([
  z.strictObject({ text: z.string(), mode: modeSchema }),
  z.strictObject({ base64: z.string(), mode: modeSchema }),
  z.strictObject({ repeat: repeatSchema, mode: modeSchema }),
  z.strictObject({ symlink: z.string() }),
  z.strictObject({ fifo: z.literal(true) }),
]);

/** Writes the entries of a case into its workspace; entries that begin with "@" are settings, not files. */
export function fillWorkspace(workspace: string, setup: Readonly<Record<string, unknown>>): void {
  for (const [path, value] of Object.entries(setup)) {
    if (path.startsWith('@')) continue;
    writeEntry(join(workspace, path), entrySchema.parse(value));
  }
}

function writeEntry(path: string, entry: z.infer<typeof entrySchema>): void {
  mkdirSync(dirname(path), { recursive: true });
  if ('symlink' in entry) symlinkSync(entry.symlink, path);
  else if ('fifo' in entry) execFileSync('mkfifo', [path]);
  else writeFileSync(path, contentOf(entry), entry.mode === undefined ? {} : { mode: entry.mode });
}

function contentOf(
  entry: Exclude<z.infer<typeof entrySchema>, { symlink: string } | { fifo: true }>,
): Buffer {
  if ('text' in entry) return Buffer.from(entry.text);
  if ('base64' in entry) return Buffer.from(entry.base64, 'base64');
  const { prefix, text, times, suffix } = entry.repeat;
  return Buffer.from(prefix + text.repeat(times) + suffix);
}
