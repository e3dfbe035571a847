import { createAnthropic } from '@ai-sdk/anthropic';
import type { WireFormat } from '../language-model/wire-format.ts';
import { createMessageRepairs } from './message-repairs.ts';

const TAKEN_IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const PDF = 'application/pdf';

/** The key is needed by the package even where a server takes none. */
const NO_KEY = 'none';

/** Anthropic's messages. Thoughts are signed and go back with their signatures. */
export const anthropicFormat: WireFormat = {
  connect: ({ modelId, baseUrl, apiKey, headers, fetch }) =>
    createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? NO_KEY, headers: { ...headers }, fetch })(modelId),
  metadataKey: () => 'anthropic',
  takesFile: mediaType => TAKEN_IMAGES.test(mediaType) || mediaType === PDF,
  takesFileInResult: mediaType => TAKEN_IMAGES.test(mediaType) || mediaType === PDF,
  callIds: /^[A-Za-z0-9_-]{1,64}$/,
  createRepairs: createMessageRepairs,
};
