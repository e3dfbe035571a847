import type { WireReply } from '#test/wire-server.ts';
import type { CaseReply } from './tool-case.ts';

/** The replies of a case in the order of the requests; the last one goes on for ever where it says so. */
export function wireReplies(replies: readonly CaseReply[]): (index: number) => WireReply {
  const inOrder = replies.flatMap(reply => Array.from({ length: reply.times ?? 1 }, () => reply));
  return index => {
    const last = inOrder.at(-1);
    const reply = inOrder[index] ?? (last?.repeat_for_ever === true ? last : undefined);
    // A request too many is refused, because an error that may pass would be asked again.
    return reply === undefined
      ? { status: 400, body: '{"error":{"message":"the case has no further reply"}}' }
      : wireReply(reply, index + 1);
  };
}

function wireReply(reply: CaseReply, turn: number): WireReply {
  const { stream, json, sse_raw: raw, status, headers, body } = filled(reply, turn);
  if (status !== undefined) {
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    return { status, body: text, ...(headers === undefined ? {} : { headers }) };
  }
  const more = headers === undefined ? {} : { headers };
  if (json !== undefined) return { json, ...more };
  // What is sent as it is ends as it is: nothing is added to it.
  return raw === undefined ? { stream: stream ?? [], ...more } : { raw, ending: 'bare', ...more };
}

/** Fills the holes: {n} is the number of the turn, {http_date:+2s} a date in HTTP's format. */
function filled(reply: CaseReply, turn: number): CaseReply {
  const text = JSON.stringify(reply)
    .replaceAll('{n}', String(turn))
    .replaceAll(/\{http_date:\+(\d+)s\}/g, (_, seconds: string) =>
      new Date(Date.now() + Number(seconds) * 1000).toUTCString(),
    );
  return JSON.parse(text);
}
