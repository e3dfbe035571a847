import { connect as connectHttp2 } from 'node:http2';
import { describe, expect, it } from 'vitest';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { allowing, endOf, newSession, playTurn } from '#test/agent-turn.ts';
import { codeOf } from '#test/code-of.ts';
import type { GatewayClients } from '#test/gateway-clients.ts';
import { startScriptedGateway } from '#test/scripted-gateway.ts';
import { allEvents } from '#test/session-history.ts';

/** Watches from a sequence number; `stop` says after which event to leave. */
async function watch(
  clients: GatewayClients,
  request: { readonly sessionId: string; readonly afterSequence?: bigint },
  stop: (event: Event) => boolean,
): Promise<Event[]> {
  const seen: Event[] = [];
  for await (const { message } of clients.sessions.watchSession(request)) {
    if (message.case !== 'event') continue;
    seen.push(message.value);
    if (stop(message.value)) break;
  }
  return seen;
}

const atEnd = ({ event }: Event): boolean => event.case === 'replyEnd';
const numbers = (events: readonly Event[]): number[] => events.map(event => Number(event.sequence));

const turns = [
  { text: 'I think about it for a while.', calls: [{ tool: 'talk', input: { ms: 50 } }], delay_ms: 20 },
  { text: 'And then I answer at some length.', delay_ms: 20 },
];

describe('a watcher', () => {
  it('that loses its connection in the middle of a turn and comes back sees every event exactly once', async () => {
    await using scripted = await startScriptedGateway(turns);
    const { gateway, owner, sessionId } = scripted;
    const turn = playTurn(owner, sessionId);
    const seen: Event[] = [];
    while (seen.length === 0 || !seen.some(atEnd)) {
      const clients = gateway.clients(owner.token);
      let left = 3;
      seen.push(
        ...(await watch(clients, { sessionId, afterSequence: seen.at(-1)?.sequence ?? 0n }, event => {
          left -= 1;
          return left === 0 || atEnd(event);
        })),
      );
      clients.disconnect();
    }
    expect(seen).toEqual(await turn);
    expect(numbers(seen)).toEqual(seen.map((_, index) => index + 1));
  });

  it('may be the client that sent the message: cut off, it picks its reply up again', async () => {
    await using scripted = await startScriptedGateway(turns);
    const { gateway, owner, sessionId } = scripted;
    const sender = gateway.clients(owner.token);
    const watched = watch(owner, { sessionId }, atEnd);
    const cut = codeOf(playTurn(sender, sessionId, { requestId: 'once' }));
    await watch(owner, { sessionId }, ({ event }) => event.case === 'textBlockDelta');
    sender.disconnect();
    expect(await cut).not.toBe('OK');
    const events = await watched;
    expect(endOf(events)?.error).toBe('');
    expect(await playTurn(owner, sessionId, { requestId: 'once' })).toEqual(events);
  });

  it('sees the same as all others, however many there are', async () => {
    await using scripted = await startScriptedGateway(turns);
    const { gateway, owner, sessionId } = scripted;
    const watchers = Array.from({ length: 40 }, (_, index) =>
      watch(gateway.clients(owner.token, index % 2 === 0 ? 'grpc' : 'connect'), { sessionId }, atEnd),
    );
    const events = await playTurn(owner, sessionId);
    for (const seen of await Promise.all(watchers)) expect(seen).toEqual(events);
  });

  it('that does not read holds up neither the turn nor the other watchers', async () => {
    await using scripted = await startScriptedGateway(
      [{ calls: [{ tool: 'flood', input: { bytes: 8_000_000 } }] }, { text: 'Done.' }],
      { folder: { limits: { loggedOutputBytes: 8_000_000 } } },
    );
    const { gateway, owner, sessionId } = scripted;
    const idle = connectHttp2(gateway.address);
    const body = Buffer.from(JSON.stringify({ sessionId }));
    const envelope = Buffer.alloc(5);
    envelope.writeUInt32BE(body.length, 1);
    const request = idle.request({
      ':method': 'POST',
      ':path': '/toolgate.gateway.v1.SessionService/WatchSession',
      'content-type': 'application/connect+json',
      authorization: `Bearer ${owner.token}`,
    });
    request.end(Buffer.concat([envelope, body]));
    const answered = new Promise<number>(resolve => {
      request.once('response', headers => resolve(Number(headers[':status'])));
    });
    request.pause();
    const [events, seen] = await Promise.all([
      playTurn(owner, sessionId),
      watch(gateway.clients(owner.token), { sessionId }, atEnd),
    ]);
    expect(await answered).toBe(200);
    expect(seen).toEqual(events);
    idle.destroy();
  });

  it('that asks for a replay gets what is there and an end', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { owner, sessionId } = scripted;
    expect(await allEvents(owner, sessionId)).toEqual([]);
    const events = await playTurn(owner, sessionId);
    expect(await allEvents(owner, sessionId)).toEqual(events);
  });

  it('of what never comes waits until its session is deleted, and then ends well', async () => {
    await using scripted = await startScriptedGateway([{ text: 'Hi.' }]);
    const { gateway, owner, sessionId } = scripted;
    await playTurn(owner, sessionId);
    const watching = codeOf(
      gateway.clients(owner.token).sessions.watchSession({ sessionId, afterSequence: 1_000n }),
    );
    const watchingAll = codeOf(gateway.clients(owner.token).sessions.watchSession({ sessionId }));
    await watch(owner, { sessionId }, atEnd);
    await owner.sessions.deleteSession({ sessionId });
    expect(await watching).toBe('OK');
    expect(await watchingAll).toBe('OK');
  });

  it('with the scope "approve" sees sessions of others, and answers in them', async () => {
    await using scripted = await startScriptedGateway([
      { calls: [{ tool: 'append', input: { line: 'x' } }] },
      { text: 'Done.' },
    ]);
    const { agent, owner } = scripted.gateway;
    const sessionId = await newSession(agent, 'agent');
    const turn = playTurn(agent, sessionId);
    const seen = await watch(owner, { sessionId }, event => {
      if (event.event.case === 'confirmationRequired') {
        void allowing(owner, sessionId)(event.event.value.calls);
      }
      return atEnd(event);
    });
    expect(seen).toEqual(await turn);
  });
});
