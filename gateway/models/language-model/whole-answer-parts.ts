import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

/** An answer that came as a whole, as the parts of a stream. */
export function* wholeAnswerParts(
  answer: LanguageModelV4GenerateResult,
): Generator<LanguageModelV4StreamPart> {
  for (const [index, content] of answer.content.entries()) {
    yield* contentParts(content, `block-${index}`);
  }
  yield { type: 'finish', finishReason: answer.finishReason, usage: answer.usage };
}

function* contentParts(content: LanguageModelV4Content, id: string): Generator<LanguageModelV4StreamPart> {
  switch (content.type) {
    case 'text':
      yield { type: 'text-delta', id, delta: content.text };
      break;
    case 'reasoning': {
      const metadata =
        content.providerMetadata === undefined ? {} : { providerMetadata: content.providerMetadata };
      yield { type: 'reasoning-start', id };
      yield { type: 'reasoning-delta', id, delta: content.text, ...metadata };
      break;
    }
    case 'tool-call':
      yield content;
      break;
    default:
      break;
  }
}
