import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScriptModel } from '#gateway/models/script/script-model.ts';
import { ModelFinish } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { Message } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import {
  assistantMessage,
  callPart,
  callsOf,
  modelRequest,
  playModel,
  resultPart,
  textOf,
  textPart,
  toolMessage,
  userMessage,
} from '#test/model-history.ts';

let scriptsDir = '';
beforeAll(async () => {
  scriptsDir = await mkdtemp(join(tmpdir(), 'toolgate-scripts-'));
});
afterAll(async () => {
  await rm(scriptsDir, { recursive: true });
});

async function play(script: string, messages: Message[], signal?: AbortSignal) {
  await writeFile(join(scriptsDir, 'a.yaml'), script);
  return playModel(createScriptModel({ scriptsDir, file: 'a.yaml' }), modelRequest(messages), signal);
}

const TWO_TURNS = `
turns:
  - text: I look at the file first, before I say anything about it.
    calls: [{ tool: Read, id: look, input: { file_path: a.txt, limit: 3 } }]
  - expect: { results_contain: [AAA], results_lack: [BBB], outcomes: { look: SUCCESS } }
    capture: { number: { from: look, pattern: 'AAA-(\\d+)' } }
    text: 'The number is {{number}}, as you asked: {{user}}'
`;

test('the first turn streams its text and its call in pieces and finishes with the call', async () => {
  const { chunks, error } = await play(TWO_TURNS, [userMessage('hello')]);

  expect(error).toBeUndefined();
  expect(chunks.filter(chunk => chunk.kind === 'text').length).toBeGreaterThan(1);
  expect(textOf(chunks)).toBe('I look at the file first, before I say anything about it.');
  expect(chunks.filter(chunk => chunk.kind === 'tool-call').length).toBeGreaterThan(1);
  expect(callsOf(chunks)).toEqual([
    { id: 'look', name: 'Read', argumentsText: '{"file_path":"a.txt","limit":3}' },
  ]);
  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: ModelFinish.TOOL_CALLS });
});

const AFTER_THE_CALL = [
  userMessage('what is it?'),
  assistantMessage(textPart('I look'), callPart({ id: 'look', tool: 'Read' })),
];

test('the second turn carries what the call returned', async () => {
  const { chunks, error } = await play(TWO_TURNS, [
    ...AFTER_THE_CALL,
    toolMessage(resultPart({ id: 'look', text: '1\tAAA-42' })),
  ]);

  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe('The number is 42, as you asked: what is it?');
  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: ModelFinish.STOP });
});

test('an expectation that does not hold fails the call and says what was there', async () => {
  const { chunks, error } = await play(TWO_TURNS, [
    ...AFTER_THE_CALL,
    toolMessage(resultPart({ id: 'look', text: 'the file is empty' })),
  ]);

  const sentence =
    'Script a.yaml, reply 1, turn 2: expected "AAA" in the last results; saw "the file is empty".';
  expect(textOf(chunks)).toBe('');
  expect(error).toMatchObject({
    name: 'ModelError',
    reason: 'BAD_SCRIPT',
    retryable: false,
    message: sentence,
  });
});

test('a script can say how it ends when something else happens', async () => {
  const script =
    'otherwise: I stop here.\nturns: [{ text: a }, { expect: { results_contain: AAA }, text: b }]';
  const { chunks, error } = await play(script, [
    ...AFTER_THE_CALL,
    toolMessage(resultPart({ id: 'look', text: 'the file is empty' })),
  ]);

  expect(error).toBeUndefined();
  expect(textOf(chunks)).toBe('I stop here.');
  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: ModelFinish.STOP });
});

test('an outcome other than the expected one fails the call', async () => {
  const { error } = await play('turns: [{ text: a }, { expect: { outcomes: { look: DENIED } }, text: b }]', [
    ...AFTER_THE_CALL,
    toolMessage(resultPart({ id: 'look', text: 'AAA', outcome: Outcome.SUCCESS })),
  ]);

  expect(error).toMatchObject({
    message: expect.stringContaining('expected the outcome DENIED of call "look"; saw SUCCESS, "AAA"'),
  });
});

test('a capture that finds nothing fails the call', async () => {
  const { error } = await play(
    "turns: [{ capture: { x: { from: user, pattern: 'n=(\\d+)' } }, text: '{{x}}' }]",
    [userMessage('n is unknown')],
  );

  expect(error).toMatchObject({
    reason: 'BAD_SCRIPT',
    message: expect.stringContaining('saw "n is unknown"'),
  });
});

test('a template reaches texts deep inside the input of a call', async () => {
  const { chunks } = await play(
    "turns: [{ calls: [{ tool: T, input: { list: [{ text: 'say {{user}}' }] } }] }]",
    [userMessage('"{{user}}"')],
  );

  expect(JSON.parse(callsOf(chunks)[0]?.argumentsText ?? '')).toEqual({ list: [{ text: 'say "{{user}}"' }] });
});

test('arguments given as text stay as they are, also when they are no JSON', async () => {
  const { chunks } = await play(`turns: [{ calls: [{ tool: T, input: '{"a": ' }] }]`, [userMessage('go')]);

  expect(callsOf(chunks)[0]?.argumentsText).toBe('{"a": ');
});

test('pieces never cut a character in two', async () => {
  const { chunks } = await play(`turns: [{ text: '${'😀'.repeat(60)}' }]`, [userMessage('go')]);

  expect(textOf(chunks)).toBe('😀'.repeat(60));
  expect(chunks.every(chunk => chunk.kind !== 'text' || chunk.text.isWellFormed())).toBe(true);
});

test('a turn can finish as if it were cut by its length', async () => {
  const { chunks } = await play(
    `turns: [{ calls: [{ tool: Write, input: '{"content":"half' }], finish: length }]`,
    [userMessage('go')],
  );

  expect(chunks.at(-1)).toMatchObject({ kind: 'finish', finish: ModelFinish.LENGTH });
});

test('a turn can fail as a provider would, after it has said something', async () => {
  const { chunks, error } = await play(
    'turns: [{ text: half, error: { reason: BROKEN_STREAM, message: gone } }]',
    [userMessage('go')],
  );

  expect(textOf(chunks)).toBe('half');
  expect(chunks.some(chunk => chunk.kind === 'finish')).toBe(false);
  expect(error).toMatchObject({ reason: 'BROKEN_STREAM', retryable: true, message: 'gone' });
});

test('a turn beyond the last one is an error that counts both', async () => {
  const { error } = await play('turns: [{ text: a }]', [userMessage('go'), assistantMessage(textPart('a'))]);

  expect(error).toMatchObject({
    reason: 'BAD_SCRIPT',
    message: 'Script a.yaml: reply 1 has 1 turns, and turn 2 was asked for.',
  });
});

test('a repeating last turn is played for ever', async () => {
  const answers = Array.from({ length: 30 }, () => assistantMessage(textPart('a')));
  const { chunks } = await play('turns: [{ text: first }, { text: again, repeat: true }]', [
    userMessage('go'),
    ...answers,
  ]);

  expect(textOf(chunks)).toBe('again');
});

const REPLIES = `
replies:
  - turns: [{ text: one }]
  - when: 'weather'
    turns: [{ text: sunny }]
  - turns: [{ text: two }]
`;

test.each([
  { said: ['a'], answer: 'one' },
  { said: ['a', 'b'], answer: 'two' },
  { said: ['a', 'b', 'c'], answer: 'two' },
  { said: ['a', 'How is the WEATHER?'], answer: 'sunny' },
  { said: ['How is the weather?', 'a'], answer: 'one' },
])('after $said the script answers $answer', async ({ said, answer }) => {
  const messages = said.flatMap(text => [userMessage(text), assistantMessage(textPart('x'))]).slice(0, -1);
  const { chunks } = await play(REPLIES, messages);

  expect(textOf(chunks)).toBe(answer);
});

test('an abort during a delay ends the turn at once with the reason of the signal', async () => {
  const abort = new AbortController();
  const reason = new Error('stop');
  await writeFile(join(scriptsDir, 'slow.yaml'), 'turns: [{ text: never said, delay_ms: 600000 }]');
  const played = playModel(
    createScriptModel({ scriptsDir, file: 'slow.yaml' }),
    modelRequest([userMessage('go')]),
    abort.signal,
  );
  abort.abort(reason);

  expect(await played).toEqual({ chunks: [], error: reason });
});
