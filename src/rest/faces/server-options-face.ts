// `OPTIONS *`: asks about the server as a whole, as a ping does (RFC 9110, section 9.3.7).

import type { Face } from '../../listener/face.ts';
import { json, toAnswer } from '../answer.ts';

const allow = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

export function serverOptionsFace(): Face {
  const found = { route: null };
  return {
    match: (_method, path) => (path === '*' ? found : null),
    handle: async () => json('{}', { Allow: allow }),
    renderRefusal: (refusal, { requestId }) => toAnswer(refusal, requestId),
  };
}
