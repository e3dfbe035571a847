import { z } from 'zod';
import type { WireRequest } from '#test/wire-server.ts';
import { hasAll, isTextCheck, quotedInJson, textProblem } from './check-texts.ts';
import { type SentMessage, type SentResult, sentMessages } from './sent-messages.ts';

const resultSchema = z.strictObject({
  id: z.string(),
  contains: z.array(z.string()).optional(),
  contains_any: z.array(z.string()).optional(),
  not_contains: z.array(z.string()).optional(),
  is_error: z.boolean().optional(),
});

interface Sent {
  readonly request: WireRequest;
  readonly messages: readonly SentMessage[];
  readonly results: readonly SentResult[];
}

const CHECKS: ReadonlyMap<string, (sent: Sent, wanted: unknown) => string[]> = new Map([
  ['index', () => []],
  ['tool_results', checkResults],
  ['tool_results_in_order', checkOrder],
  ['last_user_contains', checkLastUser],
  ['assistant_field', checkAssistant],
  ['body_has', checkBody],
]);

/** The keys that checkRequest does not know. */
export function unknownRequestKeys(expected: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(expected).filter(key => !CHECKS.has(key) && !isTextCheck(key));
}

/** What is wrong with the request that an expectation speaks of. */
export function checkRequest(
  provider: 'openai' | 'anthropic',
  requests: readonly WireRequest[],
  expected: Readonly<Record<string, unknown>>,
): string[] {
  const index = z.int().default(-1).parse(expected['index']);
  const request = requests.at(index);
  if (request === undefined) return [`there is no request ${index} of ${requests.length}`];
  const messages = sentMessages(provider, request.body);
  const sent: Sent = { request, messages, results: messages.flatMap(message => message.results) };
  return Object.entries(expected).flatMap(([key, wanted]) => {
    const check = CHECKS.get(key);
    if (check !== undefined) return check(sent, wanted);
    return found(textProblem(key, JSON.stringify(request.body), wanted, quotedInJson));
  });
}

function checkResults({ results }: Sent, wanted: unknown): string[] {
  return z
    .array(resultSchema)
    .parse(wanted)
    .flatMap(({ id, is_error: isError, ...texts }) => {
      const result = results.find(candidate => candidate.id === id);
      if (result === undefined) return [`there is no result for ${id}`];
      const problems = Object.entries(texts).flatMap(([check, pieces]) =>
        found(textProblem(check, result.text, pieces)),
      );
      if (isError === undefined || isError === result.isError) return problems;
      return [...problems, `the result of ${id} is ${isError ? 'no' : 'an'} error: ${result.text}`];
    });
}

function checkOrder({ results }: Sent, wanted: unknown): string[] {
  const ids = z.array(z.string()).parse(wanted);
  const sent = results.map(result => result.id).filter(id => ids.includes(id));
  return sent.join() === ids.join() ? [] : [`results came in the order ${sent.join(', ')}`];
}

function checkLastUser({ messages }: Sent, wanted: unknown): string[] {
  const last = messages.findLast(message => message.role === 'user' && message.text !== '');
  return found(textProblem('contains', last?.text ?? '', wanted));
}

function checkAssistant({ messages }: Sent, wanted: unknown): string[] {
  const raws = messages.filter(message => message.role === 'assistant').map(message => message.raw);
  if (raws.some(raw => hasAll(raw, wanted))) return [];
  return [`no assistant message has ${JSON.stringify(wanted)}: ${JSON.stringify(raws)}`];
}

function checkBody({ request }: Sent, wanted: unknown): string[] {
  return hasAll(request.body, wanted) ? [] : [`the request lacks ${JSON.stringify(wanted)}`];
}

function found(problem: string | undefined): string[] {
  return problem === undefined ? [] : [problem];
}
