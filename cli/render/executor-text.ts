import { type ExecutorInfo, ExecutorState } from '#gen/toolgate/gateway/v1/executor_admin_service_pb.ts';
import { nameOf, words } from './enum-words.ts';

/** How an executor is, in lower case words. */
export function executorStateText({ state }: ExecutorInfo): string {
  return words(nameOf(ExecutorState, state));
}

/** How its state looks. */
export function executorLook({ state }: ExecutorInfo): 'green' | 'yellow' | 'red' {
  if (state === ExecutorState.READY) return 'green';
  return state === ExecutorState.UNREACHABLE ? 'red' : 'yellow';
}
