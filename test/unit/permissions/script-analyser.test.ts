import { afterAll, describe, expect, it } from 'vitest';
import { createScriptAnalyser } from '#gateway/agent/script-analyser.ts';

const analyser = await createScriptAnalyser();
afterAll(() => analyser[Symbol.asyncDispose]());

const programs = (analysis: Awaited<ReturnType<typeof analyser.analyse>>) =>
  analysis.commands.map(({ command }) => command.words[0]?.text);

// Each is expensive for one of the parsers or for the walk.
const hostile: [string, string][] = [
  ['substitutions in substitutions', '$('.repeat(4_990)],
  ['brackets', '('.repeat(9_990)],
  ['quotes', `"'`.repeat(4_990)],
  ['many wrappers', `${'env -x '.repeat(1_400)} rm`],
  ['arithmetic', `echo $((${'('.repeat(4_000)}1${')'.repeat(4_000)}))`],
  ['heredocs', `${'cat <<E\n'.repeat(1_200)}`],
  ['parameter expansions', `\${a:-`.repeat(1_900)],
  ['many commands', 'echo a$(b) ;'.repeat(830)],
];

describe('the analysis of a long script', () => {
  it('finds the same in a thread of its own as a short one finds here', async () => {
    const long = await analyser.analyse(`rm x; ${'# filler\n'.repeat(400)} curl y`, undefined);
    expect(programs(long)).toEqual(['rm', 'curl']);
    expect(long.hidden).toEqual([]);
  });

  it.each(hostile)('lets others work while it looks at %s', async (_, script) => {
    await analyser.analyse('x'.repeat(3_000), undefined);
    let turns = 0;
    let isDone = false;
    const others = (): void => {
      turns += 1;
      if (!isDone) setImmediate(others);
    };
    setImmediate(others);
    const analysis = await analyser.analyse(script, undefined);
    isDone = true;
    // One turn would be the end of a parse that blocked all others; bench/permissions.ts measures the times.
    expect(turns).toBeGreaterThan(1);
    expect(
      analysis.hidden.length + analysis.blockers.length + analysis.dangers.length,
    ).toBeGreaterThanOrEqual(0);
  });

  it('that is given up still names what its text may run, and always needs a person', async () => {
    const script = `rm -rf x; ${'a$(b '.repeat(20_000)}`;
    const analysis = await analyser.analyse(script, undefined);
    expect(programs(analysis)).toContain('rm');
    expect(analysis.hidden).not.toEqual([]);
    const next = await analyser.analyse(`ls; ${'# filler\n'.repeat(400)}`, undefined);
    expect(programs(next)).toEqual(['ls']);
  });
});
