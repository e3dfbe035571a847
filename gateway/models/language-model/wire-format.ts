import type { LanguageModelV4 } from '@ai-sdk/provider';

/** A JSON object as it came over the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** What is needed to open a model of an AI SDK package. */
export interface Connection {
  /** Name of the provider in the configuration. */
  readonly providerName: string;
  /** Name of the model as the provider knows it. */
  readonly modelId: string;
  readonly baseUrl: string;
  /** Undefined where the provider takes none. */
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

/** All that differs between the wire formats of model providers. */
export interface WireFormat {
  /** The AI SDK's model; nothing is sent before it is asked. */
  connect(connection: Connection): LanguageModelV4;
  /** The name under which the AI SDK keeps what this provider wants back, and takes its options. */
  metadataKey(providerName: string): string;
  /** True for bytes that a user's message may carry; others become a line of text about them. */
  takesFile(mediaType: string): boolean;
  /** True for bytes that the result of a call may carry. */
  takesFileInResult(mediaType: string): boolean;
  /** Ids of calls that the provider accepts. */
  readonly callIds: RegExp;
  /** Makes what real servers send into what the AI SDK accepts; one value for each answer. */
  createRepairs(): WireRepairs;
  /** Characters of arguments in one event, where the AI SDK may lose some; see answerChunks. */
  argumentCharacters?(event: unknown): number;
}

/** Repairs of one answer. Leaves alone what it does not know. */
export interface WireRepairs {
  /** One event of a stream, or undefined for one that says nothing. */
  event(value: WireObject): WireObject | undefined;
  /** True for the event after which nothing follows. */
  isLast(value: WireObject): boolean;
  /** A whole answer. */
  answer(value: WireObject): WireObject;
}

/** True for an object, and not for an array or null. */
export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is an object, else an empty one. */
export function wireObject(value: unknown): WireObject {
  return isWireObject(value) ? value : {};
}

/** The objects of a list; none where it is no list. */
export function wireObjects(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.filter(isWireObject) : [];
}
