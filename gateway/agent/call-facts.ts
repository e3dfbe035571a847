import { create } from '@bufbuild/protobuf';
import { emptyFacts, type PermissionFacts } from '#gateway/permissions/permission-call.ts';
import type { OfferedTool } from '#gateway/tools/visible-tools.ts';
import type { InspectResponse } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { type BoundPath, BoundPathSchema } from '#gen/toolgate/tool/v1/tool_call_pb.ts';
import { MatchKind } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import type { LoopServices } from './reply-context.ts';
import { placeKey } from './session-places.ts';

/** What a decision about one call may rest on, and what the executor must find unchanged. */
export interface CallFacts {
  readonly facts: PermissionFacts;
  readonly boundPaths: readonly BoundPath[];
}

/** Time in which an executor must tell the facts of a call. */
const INSPECT_TIMEOUT_MS = 30_000;
/** The working directory, as a path that a call could name. */
const HERE = '.';

/**
 * Facts of a call that names these paths. Where a session is stays the same for most of its calls, so a call that
 * names no path is decided on the place that is known; the executor refuses it if the session has moved since. Rejects
 * when the executor does not answer, or with the signal's reason.
 */
export async function callFacts(
  services: Pick<LoopServices, 'executors' | 'places'>,
  sessionId: string,
  tool: OfferedTool,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<CallFacts> {
  if (!restsOnPlace(tool)) return { facts: emptyFacts, boundPaths: [] };
  const key = placeKey(sessionId, tool.executor);
  const known = services.places.get(key);
  if (known !== undefined && paths.length === 0) return known;
  const link = services.executors.link(tool.executor);
  if (link === undefined) throw new Error('it was never reached');
  const request = { sessionId, paths: [HERE, ...paths] };
  const inspected = await link.client.inspect(request, { timeoutMs: INSPECT_TIMEOUT_MS, signal });
  services.places.set(key, factsOf(inspected, [HERE]));
  return factsOf(inspected, namesCommand(tool) ? [HERE, ...paths] : paths);
}

function factsOf(inspected: InspectResponse, paths: readonly string[]): CallFacts {
  const { workingDirectory, workspaceRoot, homeDirectory } = inspected;
  const known = inspected.paths.filter(fact => paths.includes(fact.path));
  return {
    facts: {
      workingDirectory,
      workspaceRoot,
      homeDirectory,
      realPaths: new Map(known.map(fact => [fact.path, fact.realPath])),
    },
    boundPaths: known.map(({ path, realPath }) => create(BoundPathSchema, { path, realPath })),
  };
}

/** Rules about paths and commands rest on where the session is and what its paths really are. */
function restsOnPlace(tool: OfferedTool): boolean {
  return kindsOf(tool).some(kind => kind !== MatchKind.URL && kind !== MatchKind.TEXT);
}

function namesCommand(tool: OfferedTool): boolean {
  return kindsOf(tool).includes(MatchKind.COMMAND);
}

function kindsOf({ spec }: OfferedTool): MatchKind[] {
  return spec.permission?.matchFields.map(field => field.kind) ?? [];
}
