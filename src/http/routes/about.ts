// What the service says about its health and its interface.

import { json } from '../answer.ts';
import { jsonAnswer } from '../openapi.ts';
import type { OpenRoute } from '../route.ts';
import { Health } from '../schemas.ts';

export const liveRoute: OpenRoute = {
  method: 'GET',
  path: '/health/live',
  action: null,
  async handle() {
    return json('{"Status":"live"}');
  },
  describe: {
    operationId: 'HealthLive',
    tag: 'Service',
    summary: 'Whether the process runs',
    description: 'Answers while the process runs, whatever else is the matter.',
    responses: { 200: jsonAnswer('It runs', { schema: Health, example: { Status: 'live' } }) },
    refusals: [],
  },
};

export const readyRoute: OpenRoute = {
  method: 'GET',
  path: '/health/ready',
  action: null,
  async handle(served) {
    if (served.isReady()) return json('{"Status":"ready"}');
    return { status: 503, headers: { 'Retry-After': '5' }, body: '{"Status":"not ready"}' };
  },
  describe: {
    operationId: 'HealthReady',
    tag: 'Service',
    summary: 'Whether new work is taken',
    description: 'For load balancers: not ready while starting, stopping, or when the disk is full.',
    responses: {
      200: jsonAnswer('It is', { schema: Health, example: { Status: 'ready' } }),
      503: jsonAnswer('Not now', { schema: Health, example: { Status: 'not ready' } }),
    },
    refusals: [],
  },
};
