import { startCasePlace } from './case-place.ts';
import { runToolCase } from './run-tool-case.ts';
import { parseToolCase, type ToolCase } from './tool-case.ts';
import type { ToolVerdict } from './tool-verdict.ts';

/** True for a file whose first line is a tool case and not a permission case, which has a mode. */
export function holdsToolCases(text: string): boolean {
  const first = parseLine(text.split('\n').find(line => line.trim() !== '') ?? '');
  return typeof first === 'object' && first !== null && 'kind' in first && !('mode' in first);
}

/** Reads the lines of a file of tool cases, or says which line is none. */
export function readToolCases(
  lines: readonly string[],
  name: string,
): readonly ToolCase[] | { readonly problem: string } {
  const cases: ToolCase[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const parsed = parseToolCase(parseLine(line));
    if ('problem' in parsed) return { problem: `${name}:${index + 1} is no tool case: ${parsed.problem}` };
    cases.push(parsed);
  }
  return cases;
}

/**
 * Runs tool cases one after the other on a gateway and a sandbox of that type, and writes what failed and what was
 * skipped; gives the exit code, 0 when none failed.
 */
export async function runToolCases(
  cases: readonly ToolCase[],
  type: 'LOCAL' | 'DOCKER',
  write: (text: string) => void,
): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  await using place = await startCasePlace(type);
  for (const toolCase of cases) {
    const verdict = await runSafely(() => runToolCase(toolCase, place));
    if (verdict.kind === 'skipped') {
      counts.skipped += 1;
      write(`${toolCase.id} skipped: ${verdict.reason}\n`);
    } else if (verdict.problems.length === 0) {
      counts.passed += 1;
    } else {
      counts.failed += 1;
      write(
        `${toolCase.id} failed: ${toolCase.symptom}\n${verdict.problems.map(line => `  ${line}\n`).join('')}`,
      );
    }
  }
  write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  return counts.failed === 0 ? 0 : 1;
}

async function runSafely(run: () => Promise<ToolVerdict>): Promise<ToolVerdict> {
  try {
    return await run();
  } catch (error) {
    return {
      kind: 'ran',
      problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    };
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
