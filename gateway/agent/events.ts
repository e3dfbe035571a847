import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { UnnumberedEvent } from '#gateway/store/store.ts';
import { EventSchema } from '#gen/toolgate/gateway/v1/event_pb.ts';

/** What happened, before it has a session, a number and a time. */
export type EventBody = NonNullable<MessageInitShape<typeof EventSchema>['event']>;

/** Makes the events of one reply; `replyId` is empty for events of the session itself. */
export function eventMaker(replyId: string, now: () => number): (event: EventBody) => UnnumberedEvent {
  return event => create(EventSchema, { replyId, time: timestampFromMs(now()), event });
}

/** One event for two neighbouring pieces of the same text or output; undefined when they do not belong together. */
export function mergeDeltas(before: UnnumberedEvent, after: UnnumberedEvent): UnnumberedEvent | undefined {
  const a = before.event;
  const b = after.event;
  if (a.case === 'textBlockDelta' && b.case === 'textBlockDelta' && a.value.blockId === b.value.blockId) {
    return { ...before, event: { case: a.case, value: { ...a.value, text: a.value.text + b.value.text } } };
  }
  if (
    a.case === 'thinkingBlockDelta' &&
    b.case === 'thinkingBlockDelta' &&
    a.value.blockId === b.value.blockId
  ) {
    return { ...before, event: { case: a.case, value: { ...a.value, text: a.value.text + b.value.text } } };
  }
  const sameOutput =
    a.case === 'toolResultTextDelta' &&
    b.case === 'toolResultTextDelta' &&
    a.value.callId === b.value.callId &&
    a.value.stream === b.value.stream;
  if (!sameOutput) return undefined;
  return { ...before, event: { case: a.case, value: { ...a.value, text: a.value.text + b.value.text } } };
}
