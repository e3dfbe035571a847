import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelChunk, ThinkingChunk, ToolCallChunk } from '../model.ts';
import { toFinish, toUsage } from './answer-end.ts';
import { brokenStream } from './broken-stream.ts';
import { formatMetadata } from './provider-metadata.ts';

/**
 * One answer of the AI SDK as model chunks. The SDK has put the calls together and gives each its own id; a
 * piece of arguments that it could not place fails the answer, because a call without it might still run.
 * `argumentCharacters` counts them in an event; where it does, the parts must include the raw events.
 * Throws what an error part carries.
 */
export async function* answerChunks(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  argumentCharacters: (event: unknown) => number,
): AsyncGenerator<ModelChunk> {
  const answer = new AnswerState();
  let unplacedCharacters = 0;
  for await (const part of parts) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'raw') unplacedCharacters += argumentCharacters(part.rawValue);
    else if (part.type === 'tool-input-delta') unplacedCharacters -= part.delta.length;
    if (part.type === 'finish') {
      if (unplacedCharacters > 0) {
        throw brokenStream('sent pieces of tool calls that cannot be told apart');
      }
      yield {
        kind: 'finish',
        finish: toFinish(part.finishReason, answer.hasCalls),
        usage: toUsage(part.usage),
      };
      return;
    }
    yield* answer.chunks(part);
  }
  throw brokenStream('ended its answer without saying that it was done');
}

class AnswerState {
  readonly #callIds: string[] = [];
  #thinkingBlocks = 0;
  #beginsBlock = false;

  get hasCalls(): boolean {
    return this.#callIds.length > 0;
  }

  *chunks(part: LanguageModelV4StreamPart): Generator<ModelChunk> {
    switch (part.type) {
      case 'text-delta':
        yield { kind: 'text', text: part.delta };
        break;
      case 'reasoning-start':
        this.#beginsBlock = this.#thinkingBlocks > 0;
        this.#thinkingBlocks += 1;
        if (part.providerMetadata !== undefined) yield this.#thinking('', part.providerMetadata);
        break;
      case 'reasoning-delta':
        yield this.#thinking(part.delta, part.providerMetadata);
        break;
      case 'reasoning-end':
        if (part.providerMetadata !== undefined) yield this.#thinking('', part.providerMetadata);
        break;
      case 'tool-input-start':
        this.#callIds.push(part.id);
        yield this.#call(part.id, part.toolName, '');
        break;
      case 'tool-input-delta':
        yield this.#call(part.id, '', part.delta);
        break;
      case 'tool-call':
        yield* this.#wholeCall(part);
        break;
      default:
        break;
    }
  }

  *#wholeCall(part: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): Generator<ModelChunk> {
    const metadata = formatMetadata(part.providerMetadata);
    if (!this.#callIds.includes(part.toolCallId)) {
      this.#callIds.push(part.toolCallId);
      yield { ...this.#call(part.toolCallId, part.toolName, part.input), ...metadata };
    } else if (metadata.providerMetadataJson !== undefined) {
      yield { ...this.#call(part.toolCallId, '', ''), ...metadata };
    }
  }

  #thinking(text: string, metadata: Parameters<typeof formatMetadata>[0]): ThinkingChunk {
    const beginsBlock = this.#beginsBlock ? { beginsBlock: true } : {};
    this.#beginsBlock = false;
    return { kind: 'thinking', text, ...beginsBlock, ...formatMetadata(metadata) };
  }

  #call(id: string, name: string, argumentsDelta: string): ToolCallChunk {
    const index = this.#callIds.indexOf(id);
    return { kind: 'tool-call', providerCallId: id, index, name, argumentsDelta };
  }
}
