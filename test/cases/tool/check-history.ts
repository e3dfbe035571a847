import type { SentMessage } from './sent-messages.ts';

/** What is wrong with a history as a provider sees it: each call needs its one result at once, in call order. */
export function historyProblems(messages: readonly SentMessage[]): string[] {
  const seen = new Set<string>();
  const problems: string[] = [];
  let due: readonly string[] = [];
  for (const { callIds, results } of messages) {
    const answered = results.map(result => result.id);
    const expected = due.slice(0, answered.length);
    problems.push(...orderProblems(expected, answered));
    due = due.slice(answered.length);
    if (answered.length === 0) {
      problems.push(...missingProblems(due));
      due = [];
    }
    problems.push(...idProblems(callIds, seen));
    due = [...due, ...callIds];
  }
  return [...problems, ...missingProblems(due)];
}

function orderProblems(expected: readonly string[], answered: readonly string[]): string[] {
  if (expected.join() === answered.join()) return [];
  return [`results of ${answered.join(', ')} stand where ${expected.join(', ') || 'none'} were due`];
}

function missingProblems(due: readonly string[]): string[] {
  return due.length === 0 ? [] : [`no result follows for ${due.join(', ')}`];
}

function idProblems(callIds: readonly string[], seen: Set<string>): string[] {
  return callIds.flatMap(id => {
    const isWrong = id.trim() === '' || seen.has(id);
    seen.add(id);
    return isWrong ? [`the call id "${id}" is blank or was used before`] : [];
  });
}
