import { expect, test } from 'vitest';
import { assistantMessage, callPart, resultPart, toolMessage, userMessage } from '#test/model-history.ts';
import { askOnWire } from '#test/openai-model.ts';
import { wireChunk, wireText } from '#test/openai-wire-server.ts';

test('what a provider wants back with a call goes back with that call', async () => {
  const signature = { google: { thought_signature: 'c2lnbmVk' } };
  const { chunks } = await askOnWire({
    stream: [
      wireChunk({
        tool_calls: [
          { index: 0, id: 'c', function: { name: 'Read', arguments: '{}' }, extra_content: signature },
        ],
      }),
      wireChunk({}, 'tool_calls'),
    ],
  });
  const providerMetadataJson = chunks
    .map(chunk => (chunk.kind === 'tool-call' ? chunk.providerMetadataJson : undefined))
    .find(json => json !== undefined);
  const call = callPart({ id: 'c', tool: 'Read', ...(providerMetadataJson ? { providerMetadataJson } : {}) });
  const { requests } = await askOnWire(wireText('ok'), {
    messages: [userMessage('go'), assistantMessage(call), toolMessage(resultPart({ id: 'c' }))],
  });

  expect(requests[0]?.body.messages[1]?.tool_calls?.[0]).toMatchObject({ id: 'c', extra_content: signature });
});

test('metadata of another kind of provider does no harm', async () => {
  const call = callPart({ id: 'c', tool: 'Read', providerMetadataJson: '["other"' });
  const { requests, error } = await askOnWire(wireText('ok'), {
    messages: [userMessage('go'), assistantMessage(call), toolMessage(resultPart({ id: 'c' }))],
  });

  expect(error).toBeUndefined();
  expect(requests[0]?.body.messages[1]?.tool_calls).toHaveLength(1);
});
