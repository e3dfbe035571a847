import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const expectedFile = z.strictObject({
  text: z.string().optional(),
  base64: z.string().optional(),
  symlink: z.string().optional(),
  absent: z.literal(true).optional(),
  mode: z.string().optional(),
});

/** What is wrong with the files of a workspace. */
export function checkFiles(workspace: string, wanted: unknown): string[] {
  return Object.entries(z.record(z.string(), expectedFile).parse(wanted)).flatMap(([path, expected]) =>
    checkFile(join(workspace, path), path, expected),
  );
}

function checkFile(place: string, path: string, expected: z.infer<typeof expectedFile>): string[] {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return expected.absent === true ? [] : [`${path} is missing`];
  if (expected.absent === true) return [`${path} exists`];
  const mode = (found.mode & 0o777).toString(8);
  return [
    ...(expected.mode === undefined || mode === expected.mode ? [] : [`${path} has mode ${mode}`]),
    ...checkLink(place, path, expected.symlink),
    ...checkContent(place, path, expected),
  ];
}

function checkLink(place: string, path: string, symlink: string | undefined): string[] {
  if (symlink === undefined) return [];
  const target = lstatSync(place).isSymbolicLink() ? readlinkSync(place) : 'no link';
  return target === symlink ? [] : [`${path} is ${target}, not a link to ${symlink}`];
}

function checkContent(place: string, path: string, expected: z.infer<typeof expectedFile>): string[] {
  const bytes = bytesOf(expected);
  if (bytes === undefined || readFileSync(place).equals(bytes)) return [];
  return [`${path} holds ${JSON.stringify(readFileSync(place, 'utf8').slice(0, 400))}`];
}

function bytesOf({ text, base64 }: z.infer<typeof expectedFile>): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
