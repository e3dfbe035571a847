import { z } from 'zod';
import type { CaseWorkspace, FoundFile } from './case-workspace.ts';

const expectedFile = z.strictObject({
  text: z.string().optional(),
  base64: z.string().optional(),
  symlink: z.string().optional(),
  absent: z.literal(true).optional(),
  mode: z.string().optional(),
});

/** What is wrong with the files of a workspace. */
export async function checkFiles(workspace: CaseWorkspace, wanted: unknown): Promise<string[]> {
  const files = Object.entries(z.record(z.string(), expectedFile).parse(wanted));
  const problems = await Promise.all(
    files.map(async ([path, expected]) => fileProblems(path, await workspace.find(path), expected)),
  );
  return problems.flat();
}

function fileProblems(
  path: string,
  found: FoundFile | undefined,
  expected: z.infer<typeof expectedFile>,
): string[] {
  const { absent, symlink, mode } = expected;
  if (found === undefined) return absent === true ? [] : [`${path} is missing`];
  if (absent === true) return [`${path} exists`];
  const bytes = bytesOf(expected);
  const isOther = bytes !== undefined && !found.bytes.equals(bytes);
  return [
    ...(mode === undefined || mode === found.mode ? [] : [`${path} has mode ${found.mode}`]),
    ...(symlink === undefined || symlink === found.symlink ? [] : [`${path} is no link to ${symlink}`]),
    ...(isOther ? [`${path} holds ${JSON.stringify(found.bytes.toString('utf8').slice(0, 400))}`] : []),
  ];
}

function bytesOf({ text, base64 }: z.infer<typeof expectedFile>): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
