import type { Decision, DecisionStep } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { escapeForDecision } from './escape-untrusted.ts';
import { stageText } from './outcome-text.ts';
import { behaviorLook, behaviorText, ruleSourceText, ruleText } from './rule-text.ts';
import { type TableColumn, tableLines } from './table.ts';
import type { TextStyle } from './text-style.ts';

/** A decision with every step on its way, in the order they were taken; nothing of it is cut. */
export function decisionLines(decision: Decision, style: TextStyle): string[] {
  const { behavior, stage, reason, rule, suggestions, steps } = decision;
  return [
    ...tableLines(COLUMNS, steps, { style, widthCells: undefined }),
    '',
    `${style([behaviorLook(behavior), 'bold'], behaviorText(behavior))}, by ${stageText(stage)}: ${visible(reason)}`,
    ...(rule === undefined ? [] : [`${ruleSourceText(rule.source)} rule ${ruleText(rule)}`]),
    ...suggestions.map(
      (suggestion, index) =>
        `${index === 0 ? 'A person could keep' : '                 or'} ${behaviorText(suggestion.behavior)} ${ruleText(suggestion)}`,
    ),
  ];
}

const COLUMNS: readonly TableColumn<DecisionStep>[] = [
  { title: 'STEP', text: ({ stage }) => stageText(stage) },
  {
    title: 'SAYS',
    text: ({ behavior }) => behaviorText(behavior),
    look: ({ behavior }) => behaviorLook(behavior),
  },
  { title: 'WHY', text: ({ detail, rule }) => visible(detail) + ruleNote(rule, detail) },
];

function ruleNote(rule: DecisionStep['rule'], detail: string): string {
  if (rule === undefined) return '';
  const text = ruleText(rule);
  const source = ruleSourceText(rule.source);
  return detail.includes(text) ? ` (${source} rule)` : ` (${source} rule ${text})`;
}

function visible(text: string): string {
  return escapeForDecision(text).replaceAll('\n', '\\u{a}');
}
