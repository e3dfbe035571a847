import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { MessageRole, MessageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { Outcome, OutcomeReason } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import {
  assistantMessage,
  callPart,
  resultPart,
  textPart,
  toolMessage,
  userMessage,
} from '#test/model-history.ts';
import { askOnWire } from '#test/openai-model.ts';
import { wireText } from '#test/openai-wire-server.ts';

async function sentMessages(messages: Parameters<typeof askOnWire>[1] & object) {
  const { requests, error } = await askOnWire(wireText('ok'), messages);
  expect(error).toBeUndefined();
  return requests[0]?.body.messages ?? [];
}

test('a call and its result keep the provider’s own id', async () => {
  const messages = await sentMessages({
    messages: [
      userMessage('go'),
      assistantMessage(
        textPart('I look.'),
        callPart({
          id: 'call_9',
          tool: 'Read',
          argumentsText: '{"file_path": "a.txt", "big": 12345678901234567890}',
        }),
      ),
      toolMessage(resultPart({ id: 'call_9', text: 'AAA' })),
    ],
  });

  expect(messages).toEqual([
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        {
          id: 'call_9',
          type: 'function',
          function: { name: 'Read', arguments: '{"file_path": "a.txt", "big": 12345678901234567890}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_9', content: 'AAA' },
  ]);
});

test.each(['', '  ', 'x'.repeat(41)])('a call with the id %j goes out under the gateway’s id', async id => {
  const messages = await sentMessages({
    messages: [
      userMessage('go'),
      assistantMessage(callPart({ id, callId: 'gw-1', tool: 'Read' })),
      toolMessage(resultPart({ id, callId: 'gw-1', text: 'AAA' })),
    ],
  });

  expect(messages[1]?.tool_calls?.[0]?.id).toBe('gw-1');
  expect(messages[2]?.tool_call_id).toBe('gw-1');
});

test('an id that comes a second time goes out under the gateway’s id, with its own result', async () => {
  const messages = await sentMessages({
    messages: [
      userMessage('go'),
      assistantMessage(callPart({ id: 'same', callId: 'gw-1', tool: 'Read' })),
      toolMessage(resultPart({ id: 'same', callId: 'gw-1', text: 'one' })),
      assistantMessage(callPart({ id: 'same', callId: 'gw-2', tool: 'Read' })),
      toolMessage(resultPart({ id: 'same', callId: 'gw-2', text: 'two' })),
    ],
  });

  expect(
    messages.map(message => [message.tool_calls?.[0]?.id ?? message.tool_call_id, message.content]),
  ).toEqual([
    [undefined, 'go'],
    ['same', null],
    ['same', 'one'],
    ['gw-2', null],
    ['gw-2', 'two'],
  ]);
});

test.each([
  { argumentsText: '', sent: {} },
  { argumentsText: '{"a": ', sent: { unparsed_arguments: '{"a": ' } },
  { argumentsText: '[1]', sent: { unparsed_arguments: '[1]' } },
  { argumentsText: '"text"', sent: { unparsed_arguments: '"text"' } },
])('the arguments $argumentsText go out as a JSON object', async ({ argumentsText, sent }) => {
  const messages = await sentMessages({
    messages: [
      userMessage('go'),
      assistantMessage(callPart({ id: 'c', tool: 'Read', argumentsText })),
      toolMessage(resultPart({ id: 'c', outcome: Outcome.ERROR, text: 'no' })),
    ],
  });

  expect(JSON.parse(messages[1]?.tool_calls?.[0]?.function.arguments ?? '')).toEqual(sent);
});

test.each([
  { result: { outcome: Outcome.SUCCESS, text: '' }, content: '(no output)' },
  {
    result: { outcome: Outcome.ERROR, text: 'Traceback', more: { exitCode: 1 } },
    content: '[ERROR, exit code 1]\nTraceback',
  },
  {
    result: { outcome: Outcome.DENIED, text: 'No web.', more: { reason: OutcomeReason.DENIED_BY_POLICY } },
    content: '[DENIED, DENIED_BY_POLICY]\nNo web.',
  },
  {
    result: { outcome: Outcome.TIMED_OUT, text: '', more: { signal: 'SIGKILL' } },
    content: '[TIMED_OUT, signal SIGKILL]',
  },
])('a result reads $content', async ({ result, content }) => {
  const messages = await sentMessages({
    messages: [
      userMessage('go'),
      assistantMessage(callPart({ id: 'c', tool: 'Bash' })),
      toolMessage(resultPart({ id: 'c', ...result })),
    ],
  });

  expect(messages[2]?.content).toBe(content);
});

test('an image goes out as an image, a text file as text, other bytes as a line about them', async () => {
  const data = (mediaType: string, name: string, text: string) =>
    ({
      part: {
        case: 'content',
        value: {
          block: { case: 'data', value: { mediaType, name, data: new TextEncoder().encode(text) } },
        },
      },
    }) as const;
  const messages = await sentMessages({
    messages: [
      create(MessageSchema, {
        role: MessageRole.USER,
        parts: [
          textPart('see'),
          data('image/png', 'a.png', 'png'),
          data('text/csv', 'a.csv', 'x,y'),
          data('application/zip', 'a.zip', 'zip'),
        ],
      }),
    ],
  });

  expect(messages[0]?.content).toEqual([
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n' } },
    { type: 'text', text: 'a.csv:\nx,y' },
    { type: 'text', text: '[a.zip, application/zip, 3 bytes]' },
  ]);
});

test('thoughts go back to the model until the reply ends, and no longer', async () => {
  const thinking = (text: string) => ({ part: { case: 'thinking', value: { text } } }) as const;
  const messages = await sentMessages({
    messages: [
      userMessage('one'),
      assistantMessage(thinking('old'), textPart('done')),
      userMessage('two'),
      assistantMessage(thinking('new'), callPart({ id: 'c', tool: 'Read' })),
      toolMessage(resultPart({ id: 'c', text: 'AAA' })),
    ],
  });

  expect(messages.map(message => message.reasoning_content)).toEqual([
    undefined,
    undefined,
    undefined,
    'new',
    undefined,
  ]);
});
