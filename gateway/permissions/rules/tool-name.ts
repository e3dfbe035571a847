import { PermissionBehavior, type ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { matchesGlob, parseGlob } from './text-glob.ts';

const serverPattern = /^mcp__(.+)__\*$/;

/**
 * True when a rule's tool means this tool: its name, an alias, or every tool of its MCP server. Rules that stop
 * may use "*" anywhere; a rule that allows must name a server, and that server exactly.
 */
export function namesTool(pattern: string, behavior: PermissionBehavior, tool: ToolSpec): boolean {
  if (pattern === tool.name || tool.aliases.includes(pattern)) return true;
  const origin = tool.mcpOrigin;
  if (origin !== undefined && pattern === `mcp__${origin.server}__*`) return true;
  if (behavior === PermissionBehavior.ALLOW || !pattern.includes('*')) return false;
  // A pattern that names one server stops that server's tools, not those of a server with a longer name.
  if (origin !== undefined && serverPattern.exec(pattern)?.[1]?.includes('*') === false) return false;
  return [tool.name, ...tool.aliases].some(name => matchesGlob(parseGlob(pattern), name));
}

const readRules = ['Read', 'read_file'];
const writeRules = ['Write', 'Edit', 'write_file', 'edit_file'];

/** True when rules for this tool also judge files that other tools and scripts open in that way. */
export function judgesFiles(pattern: string, access: 'read' | 'write'): boolean {
  return (access === 'read' ? readRules : writeRules).includes(pattern);
}
