import { z } from 'zod';

const ruleSchema = z.object({
  tool: z.string(),
  content: z.string().nullable(),
  behavior: z.enum(['allow', 'ask', 'deny']),
});

const surroundingsSchema = z.looseObject({
  cwd: z.string().optional(),
  home: z.string().optional(),
  workingDirs: z.array(z.string()).optional(),
  projectRoot: z.string().optional(),
  symlinks: z.record(z.string(), z.string()).optional(),
  protected: z.array(z.string()).optional(),
  mcpServers: z.array(z.string()).optional(),
  workspaceTrusted: z.boolean().optional(),
});

const permissionCaseSchema = z.looseObject({
  id: z.string(),
  mode: z.enum(['DEFAULT', 'ACCEPT_EDITS', 'PLAN', 'BYPASS', 'DONT_ASK']),
  rules: z.array(ruleSchema),
  call: z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) }),
  ctx: surroundingsSchema.optional(),
  expect: z.enum(['allow', 'ask', 'deny', 'not-allow']),
  why: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

/** One line of a permission case file: rules, a call and the decision it must get. */
export type PermissionCase = z.infer<typeof permissionCaseSchema>;

/** The files that `npm run cases` may be given. */
export type CaseFile =
  | { readonly kind: 'permission'; readonly cases: readonly PermissionCase[] }
  | { readonly kind: 'unsupported'; readonly problem: string };

/** Reads a JSON Lines file of cases; its format shows in the keys of its first line. */
export function readCaseFile(text: string, name: string): CaseFile {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const cases: PermissionCase[] = [];
  for (const { line, number } of lines) {
    if (line.trim() === '') continue;
    const value = parseLine(line);
    const parsed = permissionCaseSchema.safeParse(value);
    if (!parsed.success)
      return { kind: 'unsupported', problem: problemOf(value, name, number, parsed.error) };
    cases.push(parsed.data);
  }
  return cases.length > 0
    ? { kind: 'permission', cases }
    : { kind: 'unsupported', problem: `${name} holds no cases.` };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function problemOf(value: unknown, name: string, number: number, error: z.ZodError): string {
  if (value === undefined) return `${name}:${number} is no JSON.`;
  const isCase = typeof value === 'object' && value !== null && 'id' in value;
  if (isCase && !('rules' in value && 'mode' in value))
    return `${name} holds tool cases, which are not supported yet; give a file of permission cases.`;
  return `${name}:${number} is no permission case: ${z.prettifyError(error).replaceAll('\n', ' ')}`;
}
