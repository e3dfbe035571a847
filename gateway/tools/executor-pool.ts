import { ConnectError } from '@connectrpc/connect';
import type { DescribeResponse, Manifest } from '#gen/toolgate/executor/v1/executor_service_pb.ts';
import { msFromDuration } from '#kit/durations.ts';
import { connectExecutor, type ExecutorLink, type ExecutorLinkOptions } from '#kit/executor-client.ts';
import type { Logger } from '#kit/logger.ts';
import type { OfferedTool } from './visible-tools.ts';

/** An executor that the gateway dials. */
export interface ExecutorTarget {
  readonly name: string;
  readonly address: string;
  readonly tls?: NonNullable<ExecutorLinkOptions['tls']>;
  /** Read anew each time the connection comes about, so that a rotated token is taken. */
  readonly readToken?: () => Promise<string>;
}

/** How an executor is now. */
export interface ExecutorStatus {
  readonly name: string;
  readonly address: string;
  readonly ready: boolean;
  /** Why it is not ready, in one sentence. */
  readonly problem: string;
  readonly description?: DescribeResponse;
  readonly sinceMs: number;
}

/** The executors of a gateway; each is connected again for as long as the pool lives. */
export interface ExecutorPool extends Disposable {
  statuses(): ExecutorStatus[];
  /** Every tool of every executor that was seen once, also of those that cannot be reached now. */
  tools(): OfferedTool[];
  /** The link to a configured executor, the same for as long as the pool lives; undefined when none has that name. */
  link(name: string): ExecutorLink | undefined;
  /** Time for which a call goes on in the executor when its stream broke. */
  leaseMs(name: string): number;
  /** Resolves when every executor was tried once. */
  triedOnce(): Promise<void>;
}

/** Waits between two attempts to connect: doubled from the first to the last. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 3_000;
/** Time an executor may take to describe itself. */
const DESCRIBE_TIMEOUT_MS = 5_000;
/** Lease that is assumed where an executor names none. */
const DEFAULT_LEASE_MS = 30_000;

interface Member {
  readonly target: ExecutorTarget;
  readonly link: ExecutorLink;
  token: string | undefined;
  description?: DescribeResponse;
  ready: boolean;
  problem: string;
  since: number;
}

/** Begins to connect to every target. */
export function createExecutorPool(options: {
  readonly targets: readonly ExecutorTarget[];
  readonly logger: Logger;
  readonly now: () => number;
}): ExecutorPool {
  const ending = new AbortController();
  const members = options.targets.map(target => newMember(target, options.now()));
  const firstTries = members.map(member => keepConnected(member, { ...options, signal: ending.signal }));
  const named = (name: string): Member | undefined => members.find(member => member.target.name === name);
  return {
    statuses: () => members.map(member => statusOf(member, options.now())),
    tools: () => members.flatMap(toolsOf),
    link: name => named(name)?.link,
    leaseMs: name => {
      const lease = named(name)?.description?.lease;
      return lease === undefined ? DEFAULT_LEASE_MS : msFromDuration(lease);
    },
    triedOnce: async () => {
      await Promise.all(firstTries);
    },
    [Symbol.dispose]: () => {
      ending.abort();
      for (const member of members) member.link.close();
    },
  };
}

function newMember(target: ExecutorTarget, now: number): Member {
  const member: Member = {
    target,
    link: connectExecutor({
      address: target.address,
      token: () => member.token,
      ...(target.tls === undefined ? {} : { tls: target.tls }),
    }),
    token: undefined,
    ready: false,
    problem: 'not connected yet',
    since: now,
  };
  return member;
}

function statusOf(member: Member, now: number): ExecutorStatus {
  const { target, ready, problem, description } = member;
  return {
    name: target.name,
    address: target.address,
    ready,
    problem,
    ...(description === undefined ? {} : { description }),
    sinceMs: now - member.since,
  };
}

function toolsOf(member: Member): OfferedTool[] {
  const tools = member.description?.manifest?.tools ?? [];
  return tools.map(spec => ({ spec, executor: member.target.name, available: member.ready }));
}

interface Connecting {
  readonly logger: Logger;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Connects for ever in the background; the promise settles after the first attempt. */
function keepConnected(member: Member, context: Connecting): Promise<void> {
  return new Promise(firstTried => {
    const forEver = async (): Promise<void> => {
      let waitMs = FIRST_RETRY_MS;
      while (!context.signal.aborted) {
        try {
          await stayConnected(member, context, () => {
            waitMs = FIRST_RETRY_MS;
            firstTried();
          });
        } catch (error) {
          if (context.signal.aborted) break;
          setState(member, context, false, ConnectError.from(error).rawMessage);
        }
        firstTried();
        await pause(waitMs, context.signal);
        waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
      }
    };
    void forEver();
  });
}

async function stayConnected(member: Member, context: Connecting, connected: () => void): Promise<void> {
  member.token = await member.target.readToken?.();
  const { link } = member;
  const description = await link.client.describe(
    {},
    { timeoutMs: DESCRIBE_TIMEOUT_MS, signal: context.signal },
  );
  member.description = description;
  setState(member, context, true, '');
  connected();
  const knownHash = description.manifest?.hash ?? '';
  for await (const { manifest } of link.client.watchTools({ knownHash }, { signal: context.signal })) {
    if (manifest !== undefined) setManifest(member, manifest);
  }
  throw new Error('the executor ended the connection');
}

function setManifest(member: Member, manifest: Manifest): void {
  if (member.description !== undefined) member.description = { ...member.description, manifest };
}

function setState(member: Member, context: Connecting, ready: boolean, problem: string): void {
  if (ready !== member.ready || problem !== member.problem) {
    const { name, address } = member.target;
    if (ready) context.logger.info({ executor: name, address }, 'executor ready');
    else context.logger.warn({ executor: name, address, problem }, 'executor cannot be reached');
  }
  if (ready !== member.ready) member.since = context.now();
  member.ready = ready;
  member.problem = problem;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
