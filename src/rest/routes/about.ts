// The health checks: 200 or 503, also while the environment behind the address is not available.

import type { Answer } from '../../listener/answer.ts';
import { json } from '../answer.ts';
import { jsonAnswer } from '../openapi/description.ts';
import { answerHeader } from '../openapi/headers.ts';
import { Health } from '../openapi/schemas.ts';
import type { OpenRoute } from '../route.ts';

const toLive = (): Answer => json('{"Status":"live"}');

export const liveRoute: OpenRoute = {
  method: 'GET',
  path: '/health/live',
  action: null,
  handle: async () => toLive(),
  answerUnavailable: toLive,
  describe: {
    operationId: 'HealthLive',
    tag: 'Service',
    summary: 'Whether the process runs',
    description: '200 while the process runs, whatever else is wrong.',
    responses: { 200: jsonAnswer('It runs', { schema: Health, example: { Status: 'live' } }) },
    refusals: [],
  },
};

const toNotReady = (): Answer => ({
  status: 503,
  headers: { 'Retry-After': '5' },
  body: '{"Status":"not ready"}',
});

const notReady = jsonAnswer('Not now', {
  schema: Health,
  example: { Status: 'not ready' },
  headers: answerHeader('Retry-After'),
});

export const readyRoute: OpenRoute = {
  method: 'GET',
  path: '/health/ready',
  action: null,
  handle: async (context) => (context.isReady() ? json('{"Status":"ready"}') : toNotReady()),
  answerUnavailable: toNotReady,
  describe: {
    operationId: 'HealthReady',
    tag: 'Service',
    summary: 'Whether requests are answered',
    description:
      'For load balancers: not ready while the service starts or stops, or cannot reach its database. On a full disk it stays ' +
      'ready, because reads and sign-ins go on: see `/health/ready/write`.',
    responses: {
      200: jsonAnswer('It is', { schema: Health, example: { Status: 'ready' } }),
      503: notReady,
    },
    refusals: [],
  },
};

export const readyToWriteRoute: OpenRoute = {
  method: 'GET',
  path: '/health/ready/write',
  action: null,
  handle: async (context) => (context.isReadyToWrite() ? json('{"Status":"ready"}') : toNotReady()),
  answerUnavailable: toNotReady,
  describe: {
    operationId: 'HealthReadyToWrite',
    tag: 'Service',
    summary: 'Whether saves are accepted',
    description: 'Also not ready while the disk has no more free space than `CABINET_RESERVE`: saves are then refused.',
    responses: {
      200: jsonAnswer('They are', { schema: Health, example: { Status: 'ready' } }),
      503: notReady,
    },
    refusals: [],
  },
};
