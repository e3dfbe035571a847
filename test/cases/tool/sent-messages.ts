import { z } from 'zod';

/** A message of a request, whatever its format. */
export interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  readonly callIds: readonly string[];
  readonly results: readonly SentResult[];
  /** As it came over the wire. */
  readonly raw: unknown;
}

/** The result of a call as the model reads it. */
export interface SentResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts = z.array(z.looseObject({ text: z.string().optional() })).safeParse(content);
  return (parts.data ?? []).map(part => part.text ?? '').join('\n');
};

const openAIMessage = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
});

const anthropicBlock = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().optional(),
});

const anthropicMessage = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(anthropicBlock)]),
});

/** The messages of a request body; results stand with the message that carries them. */
export function sentMessages(provider: 'openai' | 'anthropic', body: unknown): SentMessage[] {
  const { messages } = z.looseObject({ messages: z.array(z.unknown()) }).parse(body);
  return provider === 'openai' ? openAIMessages(messages) : messages.map(ofAnthropic);
}

function openAIMessages(raws: readonly unknown[]): SentMessage[] {
  const sent: SentMessage[] = [];
  for (const raw of raws) {
    const message = openAIMessage.parse(raw);
    const text = textOf(message.content);
    if (message.role === 'tool') {
      // The format knows no errors; the gateway's first line names the outcome of all that is no success.
      const result = { id: message.tool_call_id ?? '', text, isError: /^\[[A-Z_]+[,\]]/.test(text) };
      sent.push({ role: 'user', text: '', callIds: [], results: [result], raw });
    } else {
      const role = message.role === 'assistant' || message.role === 'user' ? message.role : 'system';
      sent.push({ role, text, callIds: (message.tool_calls ?? []).map(call => call.id), results: [], raw });
    }
  }
  return sent;
}

function ofAnthropic(raw: unknown): SentMessage {
  const { role, content } = anthropicMessage.parse(raw);
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    role,
    raw,
    text: blocks.map(block => (block.type === 'text' ? (block.text ?? '') : '')).join('\n'),
    callIds: blocks.flatMap(block => (block.type === 'tool_use' ? [block.id ?? ''] : [])),
    results: blocks.flatMap(block =>
      block.type === 'tool_result'
        ? [{ id: block.tool_use_id ?? '', text: textOf(block.content), isError: block.is_error === true }]
        : [],
    ),
  };
}
