// WebDAV as a face (RFC 4918, classes 1, 2 and 3): files and folders of the caller's spaces at /dav/{space}/…. It has its own
// credentials, statuses and bodies for refusals; everything else is decided by the same operations as for REST.

import { Refusal } from '../domain/refusal.ts';
import type { Answer } from '../listener/answer.ts';
import type { Exchange, Face, Match } from '../listener/face.ts';
import { MethodNotAllowed, shuttingDown } from '../listener/refusals.ts';
import type { ContextLookup, EnvironmentContext } from '../rest/environment-context.ts';
import { checkSingleHeaders } from '../rest/parameters.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import type { RouteLabels } from '../telemetry/request-metrics.ts';
import { DavAuthenticator } from './authenticate.ts';
import { renderDavRefusal } from './dav-refusal.ts';
import { putFile, readFile } from './file-methods.ts';
import { checkNoBody } from './headers.ts';
import { parseIf, tokensOf } from './if-header.ts';
import { lock, unlock } from './lock-methods.ts';
import { toLockRefusal } from './lock-refusal.ts';
import { isDavPath } from './path.ts';
import { propfind } from './propfind.ts';
import { proppatch } from './proppatch.ts';
import { type DavRequest, findResource, type Resource } from './resource.ts';
import { deleteResource, makeCollection, transfer } from './tree-methods.ts';

type Handler = (dav: DavRequest, resource: Resource) => Promise<Answer>;

interface Method {
  /** Null: needs no credentials. */
  handle: Handler | null;
  isWrite: boolean;
  /** A body is refused instead of ignored (RFC 4918, section 8.4). */
  isBodiless: boolean;
}

const reading = (handle: Handler): Method => ({ handle, isWrite: false, isBodiless: false });
const writing = (handle: Handler): Method => ({ handle, isWrite: true, isBodiless: false });
const bodiless = (handle: Handler): Method => ({ handle, isWrite: true, isBodiless: true });

const methods: Record<string, Method> = {
  OPTIONS: { handle: null, isWrite: false, isBodiless: false },
  GET: reading(readFile),
  HEAD: reading(readFile),
  PROPFIND: reading(propfind),
  PUT: writing(putFile),
  MKCOL: bodiless(makeCollection),
  DELETE: bodiless(deleteResource),
  COPY: bodiless((dav, resource) => transfer(dav, resource, false)),
  MOVE: bodiless((dav, resource) => transfer(dav, resource, true)),
  PROPPATCH: writing(proppatch),
  LOCK: writing(lock),
  UNLOCK: bodiless(unlock),
};

const allow = Object.keys(methods).join(', ');
/** After a body that took longer than this, the caller is authenticated again. */
const renewAfterMs = 500;

interface DavMatch extends Match {
  readonly route: RouteLabels;
  readonly method: Method;
}

const matches = new Map(
  Object.entries(methods).map(([name, method]) => [name, { route: { method: name, path: '/dav/{path}' }, method }]),
);

interface WebdavOptions {
  lookup: ContextLookup;
  name: string;
  shared: Shared;
  clock: Clock;
}

export function webdavFace({ lookup, name, shared, clock }: WebdavOptions): Face<DavMatch> {
  const authenticator = new DavAuthenticator({ name, buckets: shared.buckets, clock });
  return {
    match(method, path) {
      // Windows asks at the root whether there is WebDAV beneath it.
      if (!isDavPath(path) && !(path === '/' && method === 'OPTIONS')) return null;
      return matches.get(method) ?? new MethodNotAllowed(method, allow);
    },
    async handle(exchange, { method }) {
      if (method.handle === null) return answerOptions();
      const context = lookup();
      if (context === null)
        throw new Refusal('StorageUnavailable', 'This environment is not available.', { retryAfterSeconds: 5 });
      checkSingleHeaders(exchange.request);
      return await answer({ context, exchange, authenticator, lookup, clock }, method, method.handle);
    },
    renderRefusal(refusal) {
      const rendered = renderDavRefusal(refusal);
      if (refusal instanceof MethodNotAllowed) rendered.headers.Allow = refusal.allowed;
      return rendered;
    },
  };
}

function answerOptions(): Answer {
  const headers = { Allow: allow, DAV: '1, 2, 3', 'MS-Author-Via': 'DAV', 'Accept-Ranges': 'bytes' };
  return { status: 200, headers, body: '' };
}

interface Arrived {
  context: EnvironmentContext;
  exchange: Exchange;
  authenticator: DavAuthenticator;
  lookup: ContextLookup;
  clock: Clock;
}

async function answer(
  { context, exchange, authenticator, lookup, clock }: Arrived,
  { isWrite, isBodiless }: Method,
  handle: Handler,
): Promise<Answer> {
  const arrivedAt = clock.monotonic();
  // Uses the current context: keys may have changed while a long body was read.
  const authenticate = async () => {
    const caller = await authenticator.authenticate(lookup() ?? context, exchange);
    return { ...caller, lockTokens: readLockTokens(exchange) };
  };
  const caller = await authenticate();
  exchange.observation.actor = caller.actor;
  context.cabinet.quotas.countRequest(caller);
  if (exchange.isDraining && isWrite) throw shuttingDown();
  if (isBodiless) checkNoBody(exchange);
  const renewCaller = async () => (clock.monotonic() - arrivedAt < renewAfterMs ? caller : await authenticate());
  const dav = { context, exchange, caller, renewCaller };
  const resource = await findResource(dav, exchange.path);
  try {
    return await handle(dav, resource);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'Locked') throw error;
    throw toLockRefusal(error, context, { resource, isTaking: handle === lock });
  }
}

function readLockTokens({ request }: Exchange): string[] {
  const header = request.headers.if;
  return typeof header === 'string' ? tokensOf(parseIf(header)) : [];
}
