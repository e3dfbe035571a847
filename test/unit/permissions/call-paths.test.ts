import { describe, expect, it } from 'vitest';
import { pathsOf } from '#gateway/permissions/call-paths.ts';
import { analyzeScripts } from '#gateway/permissions/call-scripts.ts';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { tools } from '#test/permission-calls.ts';

const paths = (tool: ToolSpec, input: Record<string, unknown>) => {
  const options = { homeDirectory: undefined, secondParser: undefined };
  return pathsOf({ tool, input, analyses: analyzeScripts(tool, input, options) });
};
const named = (command: string) => paths(tools.bash, { command });

describe('the paths of a call', () => {
  it('are its path arguments as they are named', () => {
    expect(paths(tools.read, { file_path: '../a//b' })).toEqual(['../a//b']);
    expect(paths(tools.read, {})).toEqual([]);
    expect(paths(tools.fetch, { url: 'https://example.com' })).toEqual([]);
  });

  it('are what a script opens, enters and names as files, relative to where the script is then', () => {
    expect(named('cat a < b > c')).toEqual(['b', 'c', 'a']);
    expect(named('cd sub && touch x; cat y')).toEqual(['sub', 'sub/x', 'y', 'sub/y']);
    expect(named('cd /abs && cat ../x')).toEqual(['/abs', '/abs/../x']);
    expect(named('bash -c "cat a"; echo "$(cat b)"')).toEqual(['a', 'b']);
  });

  it('leave out what only running the script would show', () => {
    expect(named('cat $x ~/a *.ts > "$y"')).toEqual([]);
    expect(named('(cd $d && cat a)')).toEqual([]);
  });

  it('leave out what no file system takes, and end somewhere', () => {
    expect(named(`curl ${'x'.repeat(300)} a`)).toEqual(['a']);
    expect(named(`cat ${Array.from({ length: 900 }, (_, index) => `f${index}`).join(' ')}`)).toHaveLength(
      200,
    );
  });
});
