import { create } from '@bufbuild/protobuf';
import { MatchKind, type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { PermissionCase } from './permission-case.ts';

interface ToolShape {
  readonly aliases?: string[];
  readonly field?: { pointer: string; kind: MatchKind };
  readonly readOnly?: boolean;
  readonly openWorld?: boolean;
}

const shapes: ReadonlyMap<string, ToolShape> = new Map<string, ToolShape>([
  ['Bash', { aliases: ['bash'], field: { pointer: '/command', kind: MatchKind.COMMAND } }],
  ['Read', { field: { pointer: '/file_path', kind: MatchKind.READ_PATH }, readOnly: true }],
  ['Write', { aliases: ['write_file'], field: { pointer: '/file_path', kind: MatchKind.WRITE_PATH } }],
  ['Edit', { aliases: ['edit_file'], field: { pointer: '/file_path', kind: MatchKind.WRITE_PATH } }],
  ['WebFetch', { field: { pointer: '/url', kind: MatchKind.URL }, readOnly: true, openWorld: true }],
]);

/** The tool a case calls, as its executor would describe it. */
export function toolOfCase(permissionCase: PermissionCase): ToolSpec {
  const name = permissionCase.call.tool;
  const shape = shapes.get(name) ?? {};
  const origin = mcpOriginOf(name, permissionCase.ctx?.mcpServers ?? []);
  return create(ToolSpecSchema, {
    name,
    aliases: shape.aliases ?? [],
    hints: { readOnly: shape.readOnly ?? false, openWorld: shape.openWorld ?? false },
    permission: {
      matchFields: shape.field === undefined ? [] : [shape.field],
      dangerousDirectories: permissionCase.ctx?.protected ?? [],
    },
    ...(origin === undefined ? {} : { mcpOrigin: origin }),
  });
}

function mcpOriginOf(name: string, servers: readonly string[]): { server: string; tool: string } | undefined {
  if (!name.startsWith('mcp__')) return undefined;
  const rest = name.slice('mcp__'.length);
  const server = servers.find(candidate => rest.startsWith(`${candidate}__`)) ?? rest.split('__', 1)[0] ?? '';
  return { server, tool: rest.slice(server.length + 2) };
}
