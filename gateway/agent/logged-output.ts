import type { CallRecord, ReplyRecord, Store } from '#gateway/store/store.ts';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { OutputStream } from '#gen/toolgate/tool/v1/tool_result_pb.ts';

/** Events that are looked at together. */
const PAGE = 1_000;

/** Bytes of a call's raw output that the event log holds: where somebody who attaches to the call goes on. */
export async function loggedOutput(
  store: Pick<Store, 'events'>,
  reply: ReplyRecord,
  { callId }: CallRecord,
): Promise<{ readonly stdout: number; readonly stderr: number }> {
  let [stdout, stderr] = [0, 0];
  let after = reply.firstSequence - 1n;
  for (;;) {
    const page = await store.events(reply.sessionId, after, PAGE);
    for (const event of page) {
      const { stream, bytes } = outputOf(event, callId);
      if (stream === OutputStream.STDERR) stderr += bytes;
      else stdout += bytes;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { stdout, stderr };
    after = last.sequence;
  }
}

function outputOf(
  { event }: Event,
  callId: string,
): { readonly stream: OutputStream; readonly bytes: number } {
  if (event.case === 'toolResultTextDelta' && event.value.callId === callId)
    return { stream: event.value.stream, bytes: Buffer.byteLength(event.value.text) };
  if (event.case === 'toolResultDataDelta' && event.value.callId === callId)
    return { stream: event.value.stream, bytes: event.value.data.length };
  return { stream: OutputStream.UNSPECIFIED, bytes: 0 };
}
