import { ModelError } from '../model.ts';

/** An answer that is not to be trusted to its end; `how` goes on after "The model provider". */
export function brokenStream(how: string): ModelError {
  return new ModelError({ reason: 'BROKEN_STREAM', message: `The model provider ${how}.` });
}
