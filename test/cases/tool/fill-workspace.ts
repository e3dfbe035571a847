import { z } from 'zod';
import type { CaseEntry, CaseWorkspace } from './case-workspace.ts';

const modeSchema = z
  .string()
  .regex(/^[0-7]{3,4}$/)
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

type Entry = z.infer<typeof entrySchema>;

/** Puts the entries of a case where they belong; entries that begin with "@" are settings, not files. */
export async function fillWorkspace(
  workspace: CaseWorkspace,
  setup: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [path, value] of Object.entries(setup)) {
    if (!path.startsWith('@')) await workspace.put(path, toEntry(entrySchema.parse(value)));
  }
}

/** The text that a `repeat` stands for. */
export function repeatedText(value: unknown): string {
  const { prefix, text, times, suffix } = repeatSchema.parse(value);
  return prefix + text.repeat(times) + suffix;
}

function toEntry(entry: Entry): CaseEntry {
  if ('symlink' in entry) return { kind: 'symlink', target: entry.symlink };
  return 'fifo' in entry ? { kind: 'fifo' } : { kind: 'file', bytes: bytesOf(entry), mode: entry.mode };
}

function bytesOf(entry: Exclude<Entry, { symlink: string } | { fifo: true }>): Buffer {
  if ('text' in entry) return Buffer.from(entry.text);
  return 'base64' in entry ? Buffer.from(entry.base64, 'base64') : Buffer.from(repeatedText(entry.repeat));
}
