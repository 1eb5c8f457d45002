// Unknown addresses in a browser: the console says that there is nothing, instead of showing JSON. Programs get their refusal.

import { Refusal } from '../../domain/refusal.ts';
import type { Face, Match } from '../../listener/face.ts';
import { toAnswer } from '../answer.ts';
import { answerConsolePage } from '../console-files.ts';
import type { ContextLookup } from '../environment-context.ts';

const unrouted = { route: null };

/** `rest` matches first: what it knows is its own. */
export function unknownPageFace(rest: Face, lookup: ContextLookup): Face {
  return {
    match(method, path, headers): Match | null {
      if (method !== 'GET' || !headers.accept?.includes('text/html')) return null;
      const found = rest.match(method, path, headers);
      const isUnknown = found instanceof Refusal && found.code === 'RouteNotFound';
      return isUnknown && lookup()?.console.page ? unrouted : null;
    },
    async handle({ request: { headers } }) {
      const files = lookup()?.console ?? { basePath: '', page: null, assets: new Map() };
      const page = answerConsolePage(files, {
        acceptEncoding: String(headers['accept-encoding'] ?? ''),
        ifNoneMatch: undefined,
      });
      return { ...page, status: 404 };
    },
    renderRefusal: (refusal, { requestId }) => toAnswer(refusal, requestId),
  };
}
