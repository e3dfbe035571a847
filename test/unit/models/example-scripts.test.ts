import { readdir, readFile } from 'node:fs/promises';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { parseScript } from '#gateway/models/script/load-script.ts';
import { createScriptModel } from '#gateway/models/script/script-model.ts';
import { type Message, MessageRole, MessageSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import {
  assistantMessage,
  callPart,
  callsOf,
  modelRequest,
  playModel,
  resultPart,
  textOf,
  userMessage,
} from '#test/model-history.ts';

const scriptsDir = new URL('../../../examples/scripts/', import.meta.url).pathname;

test.each(await readdir(scriptsDir))('the example script %s is valid', async file => {
  const script = parseScript(await readFile(`${scriptsDir}${file}`, 'utf8'), file);

  expect(script.replies.length).toBeGreaterThan(0);
});

const RESULTS: Record<string, { outcome: Outcome; text: string }> = {
  'keep-table': { outcome: Outcome.SUCCESS, text: 'Wrote orders.csv.' },
  look: { outcome: Outcome.SUCCESS, text: '1\torder_id,date,unit_price\n2\tORD-1' },
  'write-program': { outcome: Outcome.SUCCESS, text: 'Wrote report.py.' },
  'first-run': {
    outcome: Outcome.ERROR,
    text: "ValueError: could not convert string to float: '1,149.00'",
  },
  fix: { outcome: Outcome.SUCCESS, text: 'Edited report.py.' },
  'second-run': { outcome: Outcome.SUCCESS, text: 'North 1.00\nTotal revenue: 12,345.67' },
  web: { outcome: Outcome.DENIED, text: 'A rule denies curl.' },
};

async function playAnalyst(results: typeof RESULTS) {
  const table = await readFile(new URL('../../../examples/data/orders.csv', import.meta.url), 'utf8');
  const model = createScriptModel({ scriptsDir, file: 'analyst.yaml' });
  const messages: Message[] = [
    userMessage('What is our total revenue?', `orders.csv:\n${table}\nThank you.`),
  ];
  const calls: { id: string; argumentsText: string }[] = [];
  for (let iteration = 1; iteration <= 10; iteration += 1) {
    const { chunks, error } = await playModel(model, modelRequest(messages, { iteration }));
    const made = callsOf(chunks);
    if (error !== undefined || made.length === 0) {
      return { table, calls, text: textOf(chunks), error };
    }
    calls.push(...made);
    messages.push(
      assistantMessage(...made.map(call => callPart({ ...call, tool: call.name }))),
      create(MessageSchema, {
        role: MessageRole.TOOL,
        parts: made.map(call => resultPart({ id: call.id, ...results[call.id] })),
      }),
    );
  }
  throw new Error('the script does not end');
}

test('the analyst keeps exactly the table and answers with the number the program printed', async () => {
  const { table, calls, text, error } = await playAnalyst(RESULTS);

  expect(error).toBeUndefined();
  expect(calls.map(call => call.id)).toEqual(Object.keys(RESULTS));
  expect(JSON.parse(calls[0]?.argumentsText ?? '')).toEqual({ file_path: 'orders.csv', content: table });
  expect(text).toContain('The total revenue without cancelled orders is 12,345.67.');
});

test('the analyst does not carry on when its program was denied', async () => {
  const { calls, text, error } = await playAnalyst({
    ...RESULTS,
    'first-run': { outcome: Outcome.DENIED, text: 'No.' },
  });

  expect(calls.at(-1)?.id).toBe('first-run');
  expect(error).toBeUndefined();
  expect(text).toContain('so I stop here');
});
