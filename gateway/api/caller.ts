import {
  Code,
  ConnectError,
  createContextKey,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import type { Store, TokenRecord } from '#gateway/store/store.ts';
import { bearerToken, hashToken } from '#kit/bearer-auth.ts';
import { REFLECTION_SERVICES } from '#kit/reflection.ts';

/**
 * What a token may be used for. use: sessions and messages; call: tools without a model; approve: answer what waits
 * and choose lenient modes and rules; executor: see executors; admin: everything of everybody.
 */
export const SCOPES = ['use', 'call', 'approve', 'executor', 'admin'] as const;

/** One of the scopes. */
export type Scope = (typeof SCOPES)[number];

/** Who makes a request, from its credential. */
export interface Caller {
  readonly principal: string;
  readonly scopes: ReadonlySet<string>;
}

const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'caller' });

/** Services that answer without a token: health, for probes have none, and the schema, which is public. */
const OPEN_SERVICES = new Set(['grpc.health.v1.Health', ...REFLECTION_SERVICES]);

/** Finds the caller of each request by its bearer token; Unauthenticated without a known one. */
export function authenticate(store: Pick<Store, 'tokens'>): Interceptor {
  let known = new Map<string, TokenRecord>();
  const find = async (hash: string): Promise<TokenRecord | undefined> => {
    const found = known.get(hash);
    if (found !== undefined) return found;
    known = new Map((await store.tokens()).map(token => [token.hash, token]));
    return known.get(hash);
  };
  return next => async request => {
    if (OPEN_SERVICES.has(request.service.typeName)) return next(request);
    const token = bearerToken(request.header);
    if (token === undefined) {
      throw new ConnectError(
        'send a token in the header "authorization: Bearer TOKEN"',
        Code.Unauthenticated,
      );
    }
    const record = await find(hashToken(token));
    if (record === undefined) {
      throw new ConnectError('this token is not known here, or was revoked', Code.Unauthenticated);
    }
    request.contextValues.set(callerKey, { principal: record.principal, scopes: new Set(record.scopes) });
    return next(request);
  };
}

/** The caller of a request that `authenticate` let in, which must hold one of these scopes; admin holds all. */
export function requireScope(context: Pick<HandlerContext, 'values'>, ...anyOf: Scope[]): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new ConnectError('no caller', Code.Unauthenticated);
  if (!anyOf.some(scope => hasScope(caller, scope))) {
    const wanted = anyOf.map(scope => `"${scope}"`).join(' or ');
    throw new ConnectError(
      `this needs the scope ${wanted}; the token of "${caller.principal}" has ${[...caller.scopes].join(', ')}`,
      Code.PermissionDenied,
    );
  }
  return caller;
}

/** Whether the caller may do what the scope names. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin');
}
