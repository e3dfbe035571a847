import { startWireServer, type WireEncoding, type WireReply, type WireServer } from '#test/wire-server.ts';

/** The parts of a request that tests look at. */
export interface WireBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: unknown;
  readonly tools?: { function: { name: string; description: string; parameters: unknown } }[];
  readonly messages: {
    role: string;
    content: unknown;
    reasoning_content?: string;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
}

/** Events of chat completions, with [DONE] after the last. */
export const openAIEncoding: WireEncoding = {
  encode: event => `data: ${JSON.stringify(event)}\n\n`,
  done: 'data: [DONE]\n\n',
};

/** A server of chat completions. */
export function startOpenAIWireServer(replies: readonly WireReply[]): Promise<WireServer<WireBody>> {
  return startWireServer(replies, openAIEncoding);
}

/** One chunk of a chat completion. */
export function wireChunk(delta: object, finishReason: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** A reply that says a text and stops. */
export function wireText(content: string): WireReply {
  return { stream: [wireChunk({ role: 'assistant', content }), wireChunk({}, 'stop')] };
}
