import { z } from 'zod';
import { bodies, callTool, newSession } from '#test/agent-turn.ts';
import { startTestGateway, type TestGateway } from '#test/test-gateway.ts';
import type { CasePlace } from './case-place.ts';
import { checkFiles } from './check-files.ts';
import { fillWorkspace } from './fill-workspace.ts';
import type { ToolCase } from './tool-case.ts';
import { skipped, type ToolVerdict } from './tool-verdict.ts';

const KNOWN_SETTINGS: ReadonlySet<string> = new Set(['@gate', '@rules']);

const callsSchema = z.array(z.strictObject({ tool: z.string(), input: z.looseObject({}) }));
const approvalSchema = z.strictObject({
  approval_asked_for: callsSchema,
  control_not_asked: callsSchema.default([]),
});
const expectSchema = z.strictObject({ asked: z.literal(true), file: z.unknown().optional() });
const rulesSchema = z
  .array(z.strictObject({ allow: z.string().regex(/^\w+(\(.*\))?$/s) }))
  .default([])
  .transform(rules =>
    rules.map(({ allow }) => {
      const [, tool, content = ''] = /^(\w+)(?:\((.*)\))?$/s.exec(allow) ?? [];
      return { tool, content, behavior: 'allow' };
    }),
  );

/** Plays a case that says which calls must be asked about and which must not; nobody answers with yes. */
export async function runApprovalCase(toolCase: ToolCase, place: CasePlace): Promise<ToolVerdict> {
  const { setup } = toolCase;
  const setting = Object.keys(setup).find(key => key.startsWith('@') && !KNOWN_SETTINGS.has(key));
  if (setting !== undefined) return skipped(`the setting ${setting} is not known to this runner`);
  const calls = approvalSchema.safeParse(toolCase.call);
  const expected = expectSchema.safeParse(toolCase.expect);
  if (!calls.success || !expected.success) return skipped('it wants more than calls that are asked about');
  await using gateway = await startTestGateway({
    executors: [{ name: 'sandbox', address: place.sandbox.address, token: place.sandbox.config.token }],
    agents: { agent: { model: 'openai:none', permissions: { rules: rulesSchema.parse(setup['@rules']) } } },
  });
  const sessionId = await newSession(gateway.owner, 'agent');
  const workspace = await place.openWorkspace(sessionId);
  await fillWorkspace(workspace, setup);
  const problems: string[] = [];
  for (const { tool, input } of calls.data.approval_asked_for) {
    if (!(await isAsked(gateway, sessionId, tool, input)))
      problems.push(`not asked: ${JSON.stringify(input)}`);
  }
  for (const { tool, input } of calls.data.control_not_asked) {
    if (await isAsked(gateway, sessionId, tool, input)) problems.push(`asked: ${JSON.stringify(input)}`);
  }
  return { kind: 'ran', problems: [...problems, ...(await checkFiles(workspace, expected.data.file ?? {}))] };
}

async function isAsked(
  { owner }: TestGateway,
  sessionId: string,
  toolName: string,
  input: object,
): Promise<boolean> {
  const request = { sessionId, toolName, argumentsJson: JSON.stringify(input) };
  const events = await callTool(owner, request, calls =>
    owner.sessions.resolve({
      sessionId,
      answers: calls.map(({ callId }) => ({ callId, answer: { case: 'deny', value: {} } })),
    }),
  );
  return bodies(events, 'confirmationRequired').length > 0;
}
