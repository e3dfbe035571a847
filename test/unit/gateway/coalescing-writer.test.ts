import { describe, expect, it } from 'vitest';
import { CoalescingWriter } from '#gateway/agent/coalescing-writer.ts';
import { eventMaker, mergeDeltas } from '#gateway/agent/events.ts';
import type { UnnumberedEvent } from '#gateway/store/store.ts';

const make = eventMaker('r', () => 0);
const text = (value: string, blockId = 'b'): UnnumberedEvent =>
  make({ case: 'textBlockDelta', value: { blockId, text: value } });

function told(events: readonly UnnumberedEvent[]): string {
  return events
    .map(({ event }) =>
      event.case === 'textBlockDelta' ? `${event.value.blockId}=${event.value.text}` : '?',
    )
    .join(' ');
}

/** A writer whose writes are collected and end when they are told to. */
function steeredWriter() {
  const writes: string[] = [];
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const writer = new CoalescingWriter(async events => {
    writes.push(told(events));
    begun.resolve();
    await gate.promise;
  }, mergeDeltas);
  return { writer, writes, begun: begun.promise, open: gate.resolve, fail: gate.reject };
}

describe('the coalescing writer', () => {
  it('writes neighbouring pieces of one block as one event, and others apart, in order', async () => {
    const { writer, writes, open } = steeredWriter();
    open();
    for (const event of [text('a'), text('b'), text('c', 'other'), text('d')]) await writer.add(event);
    await writer.flush();
    expect(writes).toEqual(['b=ab other=c b=d']);
  });

  it('writes by itself after a short while', async () => {
    const { writer, writes, begun, open } = steeredWriter();
    open();
    await writer.add(text('a'));
    await begun;
    expect(writes).toEqual(['b=a']);
  });

  it('makes a producer wait while a write is under way', async () => {
    const { writer, begun, open } = steeredWriter();
    await writer.add(text('a'));
    await begun;
    let added = false;
    const adding = writer.add(text('b')).then(() => {
      added = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(added).toBe(false);
    open();
    await adding;
  });

  it('hands over what waits, after all that was begun before is written', async () => {
    const { writer, writes, begun, open } = steeredWriter();
    await writer.add(text('a'));
    await begun;
    const adding = writer.add(text('b'));
    const rest = writer.takeRest();
    open();
    await adding;
    expect(told(await rest)).toBe('b=b');
    expect(writes).toEqual(['b=a']);
    await writer.flush();
    expect(writes).toEqual(['b=a']);
  });

  it('tells a failed write to whoever comes next, and loses no failure', async () => {
    const { writer, begun, fail } = steeredWriter();
    await writer.add(text('a'));
    await begun;
    fail(new Error('disk full'));
    await expect(writer.flush()).rejects.toThrow('disk full');
    await expect(writer.add(text('b'))).rejects.toThrow('disk full');
    await expect(writer.takeRest()).rejects.toThrow('disk full');
  });
});
