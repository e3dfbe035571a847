import { create } from '@bufbuild/protobuf';
import type { TextChunk, ThinkingChunk } from '#gateway/models/model.ts';
import type { UnnumberedEvent } from '#gateway/store/store.ts';
import { type MessagePart, MessagePartSchema } from '#gen/toolgate/gateway/v1/message_pb.ts';
import type { EventBody } from './events.ts';

interface Block {
  readonly id: string;
  readonly kind: 'text' | 'thinking';
  text: string;
  providerMetadataJson: string;
}

/** Turns the text and thinking of one answer into blocks: events while it comes, message parts at the end. */
export class ModelBlocks {
  readonly #answerId: string;
  readonly #make: (event: EventBody) => UnnumberedEvent;
  readonly #blocks: Block[] = [];
  #open: Block | undefined;

  /** `answerId` is never used again, so that blocks of an answer that is asked for again have ids of their own. */
  constructor(answerId: string, make: (event: EventBody) => UnnumberedEvent) {
    this.#answerId = answerId;
    this.#make = make;
  }

  /** Events of the next chunk; a change between text and thinking, or between two thoughts, ends the block before. */
  add(chunk: TextChunk | ThinkingChunk): UnnumberedEvent[] {
    const events: UnnumberedEvent[] = [];
    const beginsBlock = chunk.kind === 'thinking' && chunk.beginsBlock === true;
    if (this.#open?.kind !== chunk.kind || beginsBlock)
      events.push(...this.end(), ...this.#begin(chunk.kind));
    const block = this.#open;
    if (block === undefined) return events;
    block.text += chunk.text;
    if (chunk.kind === 'thinking' && chunk.providerMetadataJson !== undefined) {
      block.providerMetadataJson = chunk.providerMetadataJson;
    }
    if (chunk.text === '') return events;
    const value = { blockId: block.id, text: chunk.text };
    events.push(
      this.#make(
        block.kind === 'text' ? { case: 'textBlockDelta', value } : { case: 'thinkingBlockDelta', value },
      ),
    );
    return events;
  }

  /** Events that end the open block, if there is one. */
  end(): UnnumberedEvent[] {
    const block = this.#open;
    if (block === undefined) return [];
    this.#open = undefined;
    const value = { blockId: block.id };
    return [
      this.#make(
        block.kind === 'text' ? { case: 'textBlockEnd', value } : { case: 'thinkingBlockEnd', value },
      ),
    ];
  }

  /** The blocks as parts of the assistant's message; empty ones are left out. */
  parts(): MessagePart[] {
    return this.#blocks
      .filter(block => block.text !== '' || block.providerMetadataJson !== '')
      .map(({ kind, text, providerMetadataJson }) =>
        create(MessagePartSchema, {
          part:
            kind === 'text'
              ? { case: 'content', value: { block: { case: 'text', value: { text } } } }
              : { case: 'thinking', value: { text, providerMetadataJson } },
        }),
      );
  }

  #begin(kind: Block['kind']): UnnumberedEvent[] {
    const id = `${this.#answerId}.${this.#blocks.length}`;
    this.#open = { id, kind, text: '', providerMetadataJson: '' };
    this.#blocks.push(this.#open);
    const value = { blockId: id };
    return [
      this.#make(kind === 'text' ? { case: 'textBlockStart', value } : { case: 'thinkingBlockStart', value }),
    ];
  }
}
