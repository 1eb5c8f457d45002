// What the service says about its health.

import { json } from '../answer.ts';
import type { OpenRoute } from '../route.ts';

export const liveRoute: OpenRoute = {
  method: 'GET',
  path: '/health/live',
  action: null,
  async handle() {
    return json('{"Status":"live"}');
  },
  describe: {
    operationId: 'HealthLive',
    summary: 'Whether the process runs',
    responses: { 200: { description: 'It runs' } },
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
    summary: 'Whether new work is taken',
    responses: {
      200: { description: 'It is' },
      503: { description: 'Not now: starting, stopping, or the disk is full' },
    },
  },
};
