import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Connection, WireFormat } from '../language-model/wire-format.ts';
import { argumentCharacters } from './argument-characters.ts';
import { createChatRepairs } from './chat-repairs.ts';

const TAKEN_FILES = /^(image\/.+|audio\/(wav|mp3|mpeg)|application\/pdf)$/;

/** OpenAI's chat completions, as most servers speak them. Results of calls are text only. */
export const openAICompatibleFormat: WireFormat = {
  connect: connection => openChatModel(connection, body => body),
  metadataKey: providerName => providerName,
  takesFile: mediaType => TAKEN_FILES.test(mediaType),
  takesFileInResult: () => false,
  callIds: /^(?=.*\S).{1,40}$/,
  createRepairs: createChatRepairs,
  argumentCharacters,
};

/** The same for OpenAI's own server, whose newer models know the limit of an answer by another name. */
export const openAIFormat: WireFormat = {
  ...openAICompatibleFormat,
  connect: connection =>
    openChatModel(connection, ({ max_tokens, ...body }) =>
      max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens },
    ),
};

function openChatModel(
  { providerName, modelId, baseUrl, apiKey, headers, fetch }: Connection,
  transformRequestBody: (body: Record<string, unknown>) => Record<string, unknown>,
) {
  const provider = createOpenAICompatible({
    name: providerName,
    baseURL: baseUrl,
    includeUsage: true,
    headers: { ...headers },
    fetch,
    transformRequestBody,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return provider.chatModel(modelId);
}
