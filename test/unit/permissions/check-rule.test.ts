import { describe, expect, it } from 'vitest';
import { checkRule } from '#gateway/permissions/rules/check-rule.ts';
import { rule, tools } from '#test/permission-calls.ts';

const known = [tools.bash, tools.read, tools.write, tools.edit, tools.fetch];
const errors = (text: string) => checkRule(rule(text), known).errors;
const warnings = (text: string) => checkRule(rule(text), known).warnings;

describe('a rule that is stored', () => {
  it.each(['allow *', 'allow mcp__*', 'allow mcp__*__x', 'allow Ba*'])('%s is too broad', text => {
    expect(errors(text)).toHaveLength(1);
    expect(errors(text)[0]).toContain('too broad');
  });

  it.each([
    'allow Bash(git:*)',
    'deny *',
    'ask mcp__*',
    'allow mcp__git__*',
    'deny Write(/x/**)',
    'deny bash',
    'deny write_file(x)',
    'allow Soon',
  ])('%s is accepted', text => {
    expect(errors(text)).toEqual([]);
  });

  it('must not deny a tool that nobody knows', () => {
    expect(errors('deny Bsh(rm:*)')[0]).toContain('No tool is called "Bsh"');
    expect(errors('deny (rm:*)')[0]).toContain('names no tool');
  });

  it('must have a behavior, and a content that people can read', () => {
    expect(checkRule({ ...rule('deny Bash'), behavior: 0 }, known).errors[0]).toContain('no behavior');
    expect(errors('deny Bash(  )')[0]).toContain('blank');
    expect(errors('deny Read([/)')[0]).toContain('no pattern for paths');
    expect(errors('allow Write(\\\\()')[0]).toContain('no pattern for paths');
    expect(errors('deny Bash(\u202erm)')[0]).toContain('nobody sees');
    expect(errors(`deny Bash(${'x'.repeat(2000)})`)[0]).toContain('1000');
  });

  it.each([
    ['allow Bash(git:* push)', 'only at the end'],
    ['allow Bash(devbox run:*)', 'nearly everything'],
    ['allow Bash(python3:*)', 'nearly everything'],
    ['allow Bash(sudo:*)', 'runs other commands'],
    ['allow Bash(* --help)', 'any program'],
    ['deny Bash(a && b)', 'stops nothing'],
    ['allow Write(/etc/hosts)', 'starts at the workspace'],
    ['deny Read(!x)', 'no meaning'],
    ['deny Read(../x)', 'never matches'],
    ['allow Soon', 'nothing yet'],
  ])('%s gets a warning', (text, warning) => {
    expect(warnings(text).join()).toContain(warning);
  });

  it.each([
    'allow Bash(git log:*)',
    'allow Bash(ls *)',
    'deny Bash(rm:*)',
    'allow Read(/src/**)',
    'allow WebFetch(domain:x.org)',
  ])('%s gets none', text => {
    expect(warnings(text)).toEqual([]);
  });
});
