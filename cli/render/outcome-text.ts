import { DecisionStage, PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { StopReason } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { nameOf, words } from './enum-words.ts';

/** How a call ended, for people: "ERROR (OUT_OF_MEMORY)". */
export function outcomeText(outcome: Outcome, reason: OutcomeReason): string {
  const name = nameOf(Outcome, outcome);
  return reason === OutcomeReason.UNSPECIFIED ? name : `${name} (${nameOf(OutcomeReason, reason)})`;
}

/** Why a reply ended, in lower case words. */
export function stopReasonText(reason: StopReason): string {
  return words(nameOf(StopReason, reason));
}

/** Which part of the permission engine decided, in lower case words. */
export function stageText(stage: DecisionStage): string {
  return words(nameOf(DecisionStage, stage));
}

/** A permission mode by its name, such as "ACCEPT_EDITS"; undefined when there is none of that name. */
export function permissionMode(name: string): PermissionMode | undefined {
  const wanted = name.toUpperCase().replaceAll('-', '_');
  const value = Object.entries(PermissionMode).find(([key]) => key === wanted)?.[1];
  return value === PermissionMode.UNSPECIFIED ? undefined : value;
}

/** The names that `permissionMode` knows. */
export function permissionModeNames(): string[] {
  return Object.keys(PermissionMode).filter(name => name !== 'UNSPECIFIED');
}
