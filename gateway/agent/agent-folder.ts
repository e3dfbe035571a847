import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { PermissionMode, PermissionRuleSchema, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { type AgentDefinition, AgentDefinitionSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

const BEHAVIORS = {
  allow: PermissionBehavior.ALLOW,
  ask: PermissionBehavior.ASK,
  deny: PermissionBehavior.DENY,
} as const;

const MODES = {
  DEFAULT: PermissionMode.DEFAULT,
  ACCEPT_EDITS: PermissionMode.ACCEPT_EDITS,
  PLAN: PermissionMode.PLAN,
  DONT_ASK: PermissionMode.DONT_ASK,
  BYPASS: PermissionMode.BYPASS,
} as const;

/** A permission rule as it is written in files. */
export const ruleSchema = z
  .strictObject({
    tool: z.string().min(1),
    content: z.string().default(''),
    behavior: z.enum(['allow', 'ask', 'deny']),
  })
  .transform(({ tool, content, behavior }) => ({ tool, content, behavior: BEHAVIORS[behavior] }));

const agentSchema = z.strictObject({
  name: z.string().min(1).optional(),
  instructions: z.string().default(''),
  model: z.string().min(1),
  tools: z
    .strictObject({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).default([]) })
    .default({ deny: [] }),
  permissions: z
    .strictObject({
      mode: z.enum(['DEFAULT', 'ACCEPT_EDITS', 'PLAN', 'DONT_ASK', 'BYPASS']).default('DEFAULT'),
      rules: z.array(ruleSchema).default([]),
    })
    .default({ mode: 'DEFAULT', rules: [] }),
  max_iterations: z.int().min(1).max(1000).optional(),
});

/** The agent cannot be used; the message says which file is wrong and how. */
export class AgentFolderError extends Error {
  override readonly name = 'AgentFolderError';
  readonly reason: 'NOT_FOUND' | 'INVALID';
  constructor(reason: 'NOT_FOUND' | 'INVALID', message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Names of agents are names of folders, so nothing in them may walk anywhere. */
const AGENT_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/;

/** Reads `AGENTS_DIR/NAME/agent.yaml`, anew each time, so that an edited agent holds for the next session. */
export async function loadAgent(agentsDir: string, name: string): Promise<AgentDefinition> {
  if (!AGENT_NAME.test(name)) {
    throw new AgentFolderError('NOT_FOUND', `"${name}" is no agent name: use letters, digits, "-" and "_"`);
  }
  const file = join(agentsDir, name, 'agent.yaml');
  const parsed = agentSchema.safeParse(await readYaml(file, name));
  if (!parsed.success) {
    throw new AgentFolderError('INVALID', `agents/${name}/agent.yaml: ${z.prettifyError(parsed.error)}`);
  }
  const { instructions, model, tools, permissions, max_iterations: maxIterations } = parsed.data;
  return create(AgentDefinitionSchema, {
    name,
    instructions,
    model,
    toolFilter: { deny: tools.deny, ...(tools.allow === undefined ? {} : { allow: { names: tools.allow } }) },
    permissionMode: MODES[permissions.mode],
    rules: permissions.rules.map(rule => create(PermissionRuleSchema, { ...rule, source: RuleSource.AGENT })),
    maxIterations: maxIterations ?? 0,
  });
}

async function readYaml(file: string, name: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const known = await agentNames(dirname(dirname(file)));
    const others = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`;
    throw new AgentFolderError(
      'NOT_FOUND',
      `there is no agent "${name}" in the agents folder; ${others}. An agent is a folder with an agent.yaml`,
      error,
    );
  }
  try {
    return parseYaml(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AgentFolderError('INVALID', `agents/${name}/agent.yaml is not valid YAML: ${reason}`, error);
  }
}

async function agentNames(agentsDir: string): Promise<string[]> {
  try {
    const entries = await readdir(agentsDir, { withFileTypes: true });
    return entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
  } catch {
    return [];
  }
}
