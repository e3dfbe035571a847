import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { DecisionSchema, DecisionStage, RuleSource } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { decisionLines } from '../../../cli/render/decision-lines.ts';

const plain = (_format: unknown, text: string): string => text;

describe('an explained decision', () => {
  it('shows each step, what it said and why, then the decision and what could be kept', () => {
    const rule = { tool: 'Bash', content: 'git:*', source: RuleSource.AGENT };
    const decision = create(DecisionSchema, {
      behavior: PermissionBehavior.ASK,
      stage: DecisionStage.ASK_RULE,
      reason: 'a rule asks',
      rule,
      steps: [
        { stage: DecisionStage.DENY_RULE, detail: 'no rule matches' },
        { stage: DecisionStage.ASK_RULE, behavior: PermissionBehavior.ASK, detail: 'a rule asks', rule },
      ],
      suggestions: [
        { tool: 'Bash', content: 'git status', behavior: PermissionBehavior.ALLOW },
        { tool: 'Bash', content: 'git status:*', behavior: PermissionBehavior.ALLOW },
      ],
    });
    expect(decisionLines(decision, plain)).toEqual([
      'STEP       SAYS        WHY',
      'deny rule  no opinion  no rule matches',
      'ask rule   ask         a rule asks (agent rule Bash(git:*))',
      '',
      'ask, by ask rule: a rule asks',
      'agent rule Bash(git:*)',
      'A person could keep allow Bash(git status)',
      '                 or allow Bash(git status:*)',
    ]);
  });

  it('hides nothing that came with the call', () => {
    const evil = 'rm\u202e\u00a0x\ny';
    const decision = create(DecisionSchema, {
      reason: evil,
      steps: [{ detail: evil, rule: { tool: 'Bash', content: evil } }],
    });
    const text = decisionLines(decision, plain).join('\n');
    expect(text.split('rm\\u{202e}\\u{a0}x\\u{a}y')).toHaveLength(4);
  });
});
