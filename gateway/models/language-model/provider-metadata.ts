import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { z } from 'zod';

const metadataSchema = z.record(z.string(), z.record(z.string(), z.json()));

/** Keeps what a provider wants back unchanged beside the part it belongs to. */
export function formatMetadata(metadata: SharedV4ProviderMetadata | undefined): {
  providerMetadataJson?: string;
} {
  return metadata === undefined ? {} : { providerMetadataJson: JSON.stringify(metadata) };
}

/** Gives back what is under the key; what another provider left in the history is not for this one. */
export function parseMetadata(json: string, key: string): { providerOptions?: SharedV4ProviderOptions } {
  if (json === '') {
    return {};
  }
  try {
    const own = metadataSchema.safeParse(JSON.parse(json)).data?.[key];
    return own === undefined ? {} : { providerOptions: { [key]: own } };
  } catch {
    return {};
  }
}
