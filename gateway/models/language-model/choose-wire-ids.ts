import type { Message } from '#gen/toolgate/gateway/v1/message_pb.ts';

/** Longest id that every provider accepts; OpenAI's own server counts so far. */
const MAX_OWN_ID_CHARACTERS = 40;

/**
 * The id that each call of the history has towards the provider, by the gateway's call_id: the provider's own
 * where the wire format accepts it and it was not seen before, since some models read meaning into their ids,
 * else one made from the gateway's. A longer history never changes the ids of a shorter one, so a provider's
 * prompt cache stays valid.
 */
export function chooseWireIds(messages: readonly Message[], accepted: RegExp): ReadonlyMap<string, string> {
  const wireIds = new Map<string, string>();
  const used = new Set<string>();
  for (const { part } of messages.flatMap(message => message.parts)) {
    if (part.case === 'toolCall') {
      const { callId, providerCallId } = part.value;
      const usable = accepted.test(providerCallId) && !used.has(providerCallId);
      const wireId = usable ? providerCallId : ownWireId(callId);
      used.add(wireId);
      wireIds.set(callId, wireId);
    }
  }
  return wireIds;
}

/** The gateway's id, shortened where providers would refuse it: a prefix and a UUID are one character too long. */
export function ownWireId(callId: string): string {
  const short = callId.length > MAX_OWN_ID_CHARACTERS ? callId.replaceAll('-', '') : callId;
  return short.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-MAX_OWN_ID_CHARACTERS);
}
