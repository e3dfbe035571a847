import { DecisionStage, type DecisionStep, PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { isReadOnly } from './allowances.ts';
import { type JudgedCall, noOpinion, opinion } from './judged-call.ts';

const nothingByMode = noOpinion(DecisionStage.MODE, 'The mode stops nothing by itself.');

/** In PLAN, denies whatever is not read-only, also against allow rules. */
export function judgePlan(judged: JudgedCall): DecisionStep {
  if (judged.context.mode !== PermissionMode.PLAN) return nothingByMode;
  if (isReadOnly(judged)) return noOpinion(DecisionStage.MODE, 'PLAN lets read-only calls through.');
  return opinion(
    DecisionStage.MODE,
    PermissionBehavior.DENY,
    'In PLAN mode only what changes nothing may run. Finish the plan first.',
  );
}

// How much each mode lets through that others would ask about or deny.
const leniency = new Map<PermissionMode, number>([
  [PermissionMode.PLAN, 0],
  [PermissionMode.DONT_ASK, 1],
  [PermissionMode.UNSPECIFIED, 2],
  [PermissionMode.DEFAULT, 2],
  [PermissionMode.ACCEPT_EDITS, 3],
  [PermissionMode.BYPASS, 4],
]);

/**
 * True when some call would run in `mode` that would not run in `than`. A caller that may not approve may not
 * choose such a mode. UNSPECIFIED counts as DEFAULT; a mode that is not known counts as most lenient.
 */
export function isMoreLenient(mode: PermissionMode, than: PermissionMode): boolean {
  return (leniency.get(mode) ?? Number.POSITIVE_INFINITY) > (leniency.get(than) ?? 0);
}
