import { outcomeName, toolResultText } from '../tool-result-text.ts';
import type { ScriptTurn } from './script-schema.ts';
import type { ScriptView } from './script-view.ts';

/** What did not hold, in one sentence that also says what was seen; undefined when everything holds. */
export function findFailedExpectation(turn: ScriptTurn, view: ScriptView): string | undefined {
  const expect = turn.expect;
  if (expect === undefined) {
    return undefined;
  }
  const user = view.userTexts.at(-1) ?? '';
  return (
    findWrongOutcome(expect.outcomes ?? {}, view) ??
    findMissing('the user message', user, expect.user_contains) ??
    findForbidden('the user message', user, expect.user_lacks) ??
    findMissing('the last results', view.lastResults, expect.results_contain) ??
    findForbidden('the last results', view.lastResults, expect.results_lack)
  );
}

/** The texts that a turn's holes are filled with, or what could not be captured, in one sentence. */
export function captureTexts(
  turn: ScriptTurn,
  view: ScriptView,
):
  | { readonly kind: 'captured'; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: 'failed'; readonly failure: string } {
  const user = view.userTexts.at(-1) ?? '';
  const texts = new Map([['user', user]]);
  for (const [name, { from, pattern }] of Object.entries(turn.capture)) {
    const source = sourceText(from, user, view);
    const match = new RegExp(pattern, 'imu').exec(source);
    if (match === null) {
      return {
        kind: 'failed',
        failure: `no text like /${pattern}/ in ${from} for {{${name}}}; saw ${quote(source)}`,
      };
    }
    texts.set(name, match[1] ?? match[0]);
  }
  return { kind: 'captured', texts };
}

function sourceText(from: string, user: string, view: ScriptView): string {
  if (from === 'user') {
    return user;
  }
  return from === 'results' ? view.lastResults : toolResultText(view.resultOf(from)?.result);
}

function findMissing(where: string, seen: string, texts: readonly string[] = []): string | undefined {
  const missing = texts.find(text => !seen.includes(text));
  return missing === undefined ? undefined : `expected ${quote(missing)} in ${where}; saw ${quote(seen)}`;
}

function findForbidden(where: string, seen: string, texts: readonly string[] = []): string | undefined {
  const found = texts.find(text => seen.includes(text));
  return found === undefined ? undefined : `expected no ${quote(found)} in ${where}; saw ${quote(seen)}`;
}

function findWrongOutcome(outcomes: Readonly<Record<string, string>>, view: ScriptView): string | undefined {
  for (const [id, expected] of Object.entries(outcomes)) {
    const result = view.resultOf(id)?.result;
    const seen = result === undefined ? 'no result' : outcomeName(result.outcome);
    if (seen !== expected) {
      return `expected the outcome ${expected} of call "${id}"; saw ${seen}${result === undefined ? '' : `, ${quote(toolResultText(result))}`}`;
    }
  }
  return undefined;
}

const QUOTED_CHARACTERS = 300;

function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text);
}
