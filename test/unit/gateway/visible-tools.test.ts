import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { findTool, unknownNames, visibleTools } from '#gateway/tools/visible-tools.ts';
import { ToolFilterSchema } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

function offer(name: string, executor = 'one', aliases: string[] = []) {
  return { spec: create(ToolSpecSchema, { name, aliases }), executor, available: true };
}

const offered = [offer('Read', 'one', ['read_file']), offer('Bash'), offer('Edit'), offer('Bash', 'two')];

function visible(...filters: { allow?: string[]; deny?: string[] }[]): string[] {
  const asMessages = filters.map(({ allow, deny = [] }) =>
    create(ToolFilterSchema, { deny, ...(allow === undefined ? {} : { allow: { names: allow } }) }),
  );
  return visibleTools(offered, asMessages).map(tool => `${tool.spec.name}@${tool.executor}`);
}

describe('visible tools', () => {
  it('are all tools without a filter, sorted, and the first offer of a name hides later ones', () => {
    expect(visible()).toEqual(['Bash@one', 'Edit@one', 'Read@one']);
    expect(visible({})).toEqual(['Bash@one', 'Edit@one', 'Read@one']);
  });

  it('are none with an empty allow list', () => {
    expect(visible({ allow: [] })).toEqual([]);
  });

  it('are those that every filter allows', () => {
    expect(visible({ allow: ['Bash', 'Edit'] }, { allow: ['Edit', 'Read'] })).toEqual(['Edit@one']);
  });

  it('go by aliases too', () => {
    expect(visible({ allow: ['read_file'] })).toEqual(['Read@one']);
    expect(visible({ deny: ['read_file'] })).toEqual(['Bash@one', 'Edit@one']);
  });

  it('never are what is denied, even when it is allowed as well', () => {
    expect(visible({ allow: ['*'], deny: ['Bash'] })).toEqual(['Edit@one', 'Read@one']);
    expect(visible({ deny: ['*'] })).toEqual([]);
  });

  it("do not show another executor's tool in place of a denied one", () => {
    expect(visible({ deny: ['Bash'] })).not.toContain('Bash@two');
  });

  it('are matched whole: a part or another case of a name is no name', () => {
    expect(visible({ allow: ['Bas', 'bash', 'Ba*'] })).toEqual([]);
  });
});

describe('a name', () => {
  it('finds a tool by name before by alias', () => {
    const tools = [offer('other', 'one', ['Read']), offer('Read', 'two')];
    expect(findTool(tools, 'Read')?.executor).toBe('two');
    expect(findTool(offered, 'read_file')?.spec.name).toBe('Read');
    expect(findTool(offered, 'Nothing')).toBeUndefined();
  });

  it('that no tool has is reported', () => {
    expect(unknownNames(offered, ['Bash', 'read_file', '*', 'bash', 'Web'])).toEqual(['bash', 'Web']);
  });
});
