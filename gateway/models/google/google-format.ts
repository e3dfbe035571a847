import { createGoogle } from '@ai-sdk/google';
import type { WireFormat } from '../language-model/wire-format.ts';
import { createGenerationRepairs } from './generation-repairs.ts';

const TAKEN_FILES = /^(image|audio|video)\/|^application\/pdf$/;
const TAKEN_IN_RESULTS = /^image\/|^application\/pdf$/;

/** The key is needed by the package even where a server takes none. */
const NO_KEY = 'none';

/** Google's generateContent. Calls and thoughts carry signatures, which go back with them. */
export const googleFormat: WireFormat = {
  connect: ({ modelId, baseUrl, apiKey, headers, fetch }) =>
    createGoogle({ baseURL: baseUrl, apiKey: apiKey ?? NO_KEY, headers: { ...headers }, fetch })(modelId),
  metadataKey: () => 'google',
  takesFile: mediaType => TAKEN_FILES.test(mediaType),
  takesFileInResult: mediaType => TAKEN_IN_RESULTS.test(mediaType),
  callIds: /^[A-Za-z0-9_-]{1,64}$/,
  createRepairs: createGenerationRepairs,
};
