import type { ToolFilter } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

/** A tool and the executor that runs it. */
export interface OfferedTool {
  readonly spec: ToolSpec;
  /** Name of its executor; "gateway" for the gateway's own tools. */
  readonly executor: string;
  /** False while its executor cannot be reached. */
  readonly available: boolean;
}

/** The tools that pass every filter, sorted by name. A later offer of the same name is hidden by the earlier one. */
export function visibleTools(
  offered: readonly OfferedTool[],
  filters: readonly (ToolFilter | undefined)[],
): OfferedTool[] {
  const byName = new Map<string, OfferedTool>();
  for (const tool of offered) if (!byName.has(tool.spec.name)) byName.set(tool.spec.name, tool);
  return [...byName.values()]
    .filter(tool => filters.every(filter => passes(tool.spec, filter)))
    .sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/** The tool that a model or client means by a name or alias; undefined when none is visible. */
export function findTool(tools: readonly OfferedTool[], name: string): OfferedTool | undefined {
  return tools.find(tool => tool.spec.name === name) ?? tools.find(tool => tool.spec.aliases.includes(name));
}

/**
 * Names in a filter that no tool has. A deny list with one of them must be refused: it would hide nothing, while its
 * author believes that it does.
 */
export function unknownNames(offered: readonly OfferedTool[], names: readonly string[]): string[] {
  return names.filter(name => name !== '*' && !offered.some(tool => isNamed(tool.spec, name)));
}

function passes(spec: ToolSpec, filter: ToolFilter | undefined): boolean {
  if (filter === undefined) return true;
  const matches = (name: string): boolean => name === '*' || isNamed(spec, name);
  if (filter.deny.some(matches)) return false;
  return filter.allow === undefined || filter.allow.names.some(matches);
}

function isNamed(spec: ToolSpec, name: string): boolean {
  return spec.name === name || spec.aliases.includes(name);
}
