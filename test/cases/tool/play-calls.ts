import type { ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { allowing, bodies, callTool, resultText } from '#test/agent-turn.ts';
import type { GatewayClients } from '#test/gateway-clients.ts';
import { type CaseCalls, type CaseStep, fillHoles } from './case-calls.ts';
import type { CaseWorkspace } from './case-workspace.ts';
import { fillWorkspace } from './fill-workspace.ts';

/** What a step came to; a change behind the back of the tools comes to nothing. */
export type PlayedStep = { readonly result: ToolResult; readonly text: string } | undefined;

/** One session of a case. */
export interface CaseSession {
  readonly clients: GatewayClients;
  readonly sessionId: string;
  readonly workspace: CaseWorkspace;
}

/** Plays the steps of a case in a session. A file is read before its first change, unless the case does it itself. */
export async function playCalls(session: CaseSession, calls: CaseCalls): Promise<PlayedStep[]> {
  const seen = new Set<string>();
  if (calls.order === 'together') {
    for (const step of calls.steps) await readFirst(session, calls, step, seen);
    return Promise.all(calls.steps.map(step => playStep(session, step)));
  }
  const played: PlayedStep[] = [];
  for (const step of calls.steps) {
    await readFirst(session, calls, step, seen);
    played.push(await playStep(session, step));
  }
  return played;
}

async function readFirst(
  session: CaseSession,
  { noReadFirst, steps }: CaseCalls,
  step: CaseStep,
  seen: Set<string>,
): Promise<void> {
  if (noReadFirst || !('tool' in step) || !['Edit', 'Write'].includes(step.tool)) return;
  const path = String(step.input['file_path']);
  const isRead = steps.some(
    other => 'tool' in other && other.tool === 'Read' && other.input['file_path'] === path,
  );
  if (seen.has(path) || isRead) return;
  seen.add(path);
  if ((await session.workspace.find(path)) !== undefined) {
    await playStep(session, { tool: 'Read', input: { file_path: path } });
  }
}

async function playStep({ clients, sessionId, workspace }: CaseSession, step: CaseStep): Promise<PlayedStep> {
  if ('external' in step) {
    await fillWorkspace(workspace, step.external);
    return undefined;
  }
  const argumentsJson = JSON.stringify(fillHoles(step.input, workspace.path));
  const request = { sessionId, toolName: step.tool, argumentsJson };
  const events = await callTool(clients, request, allowing(clients, sessionId));
  const result = bodies(events, 'toolResultEnd')[0]?.result;
  if (result === undefined) throw new Error(`${step.tool} ended without a result`);
  return { result, text: resultText(result) };
}
