import type { Message } from '#gen/toolgate/gateway/v1/message_pb.ts';

/** Longest id that OpenAI's own server accepts. */
const MAX_WIRE_ID_CHARACTERS = 40;

/**
 * The id that each call of the history has towards the provider, by the gateway's call_id: the provider's own
 * where it is usable and was not seen before, since some models read meaning into their ids, else the gateway's.
 * A longer history never changes the ids of a shorter one, so a provider's prompt cache stays valid.
 */
export function chooseWireIds(messages: readonly Message[]): ReadonlyMap<string, string> {
  const wireIds = new Map<string, string>();
  const used = new Set<string>();
  for (const { part } of messages.flatMap(message => message.parts)) {
    if (part.case === 'toolCall') {
      const { callId, providerCallId } = part.value;
      const usable = providerCallId.trim() !== '' && providerCallId.length <= MAX_WIRE_ID_CHARACTERS;
      const wireId = usable && !used.has(providerCallId) ? providerCallId : callId;
      used.add(wireId);
      wireIds.set(callId, wireId);
    }
  }
  return wireIds;
}
