// What the service says about itself: its health and its description.

import { json } from '../answer.ts';
import { renderOpenApi } from '../openapi.ts';
import type { OpenRoute } from '../route.ts';

export const liveRoute: OpenRoute = {
  method: 'GET',
  path: '/health/live',
  action: null,
  async handle() {
    return json('{"Status":"live"}');
  },
  describe: {},
};

export const readyRoute: OpenRoute = {
  method: 'GET',
  path: '/health/ready',
  action: null,
  async handle(served) {
    if (served.isReady()) return json('{"Status":"ready"}');
    return { status: 503, headers: { 'Retry-After': '5' }, body: '{"Status":"not ready"}' };
  },
  describe: {},
};

export const openApiRoute: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  action: null,
  async handle(served) {
    return json(renderOpenApi(served.publicUrl));
  },
  describe: {},
};
