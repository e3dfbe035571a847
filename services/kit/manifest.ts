import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { type Manifest, ManifestSchema } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { type ToolSpec, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

/** The manifest of these tools: sorted by name, with the hash of what they are. */
export function manifestOf(specs: readonly ToolSpec[]): Manifest {
  const tools = [...specs].sort((a, b) => (a.name < b.name ? -1 : 1));
  const hash = createHash('sha256');
  for (const tool of tools) hash.update(toBinary(ToolSpecSchema, tool));
  return create(ManifestSchema, { tools, hash: hash.digest('hex') });
}
