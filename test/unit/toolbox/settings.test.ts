import { expect, test } from 'vitest';
import { readSettings } from '#toolbox/settings.ts';

const COMPLETE = {
  TOOLGATE_SOCKET: '/run/s',
  TOOLGATE_TOKEN: 'a-token-of-some-length',
  TOOLGATE_WORKSPACE: '/workspace',
  TOOLGATE_HOME: '/tmp/home',
  TOOLGATE_RIPGREP: '/opt/rg',
  TOOLGATE_RUNTIME_DIR: '/run/own',
};

test('without ids of their own, commands run as the toolbox and own nothing else', () => {
  expect(readSettings(COMPLETE)).toMatchObject({ commandUser: undefined, ownsAllProcesses: false });
});

test.each(['TOOLGATE_TOKEN', 'TOOLGATE_WORKSPACE'])('a wrong %s is named', name => {
  expect(() => readSettings({ ...COMPLETE, [name]: 'short' })).toThrow(name);
});

test('a uid without a gid is refused', () => {
  expect(() => readSettings({ ...COMPLETE, TOOLGATE_COMMAND_UID: '1000' })).toThrow('TOOLGATE_COMMAND_GID');
});

test('commands never run as root by setting', () => {
  const environment = { ...COMPLETE, TOOLGATE_COMMAND_UID: '0', TOOLGATE_COMMAND_GID: '0' };
  expect(() => readSettings(environment)).toThrow('TOOLGATE_COMMAND_UID');
});
