import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readToolCases } from '../cases/tool/run-tool-cases.ts';
import type { ToolCase } from '../cases/tool/tool-case.ts';

const FILE = fileURLToPath(new URL('../cases/tool-cases.jsonl', import.meta.url));

/** The project's own tool cases of these kinds; throws where the file holds anything else, or none of them. */
export function toolCases(kinds: string): readonly ToolCase[] {
  const read = readToolCases(readFileSync(FILE, 'utf8').split('\n'), FILE);
  if ('problem' in read) throw new Error(read.problem);
  const chosen = read.filter(toolCase => kinds.includes(toolCase.kind));
  if (chosen.length === 0) throw new Error(`${FILE} holds no case of the kinds ${kinds}`);
  return chosen;
}
