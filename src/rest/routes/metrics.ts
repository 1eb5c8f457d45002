// `GET /metrics`, for Prometheus. The metrics reveal a lot about the service, so by default only clients on the same machine
// may read them, and nobody through a proxy.

import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { Refusal } from '../../domain/refusal.ts';
import { metricsContentType } from '../../telemetry/metrics.ts';
import type { MetricsAccess } from '../environment-context.ts';
import type { OpenRoute } from '../route.ts';

export const metricsRoute: OpenRoute = {
  method: 'GET',
  path: '/metrics',
  action: null,
  async handle({ metrics }, { request }) {
    checkAccess(metrics.access, request);
    return { status: 200, headers: { 'Content-Type': metricsContentType }, body: await metrics.render() };
  },
  describe: {
    operationId: 'Metrics',
    tag: 'Service',
    summary: 'Metrics for Prometheus',
    description:
      'The text format 0.0.4. By default only for clients on the same machine. With `CABINET_METRICS_TOKEN`, for ' +
      'everyone who sends that token as `Authorization: Bearer`.',
    responses: {
      200: {
        description: 'Metrics',
        content: { 'text/plain': { schema: { type: 'string' }, example: 'cabinet_saves_total{kind="inline"} 17\n' } },
      },
    },
    refusals: ['Forbidden', 'TokenInvalid', 'TokenMissing'],
  },
};

function checkAccess(access: MetricsAccess, request: IncomingMessage): void {
  if (typeof access === 'object') checkToken(access.token, request.headers.authorization);
  else if (access === 'off') throw new Refusal('Forbidden', 'Metrics are disabled.');
  else if (access === 'loopback' && !isLocal(request)) {
    throw new Refusal('Forbidden', 'Metrics are served to the same machine only.', {
      hint: 'Set CABINET_METRICS_TOKEN, and send it as Authorization: Bearer.',
    });
  }
}

function checkToken(token: string, authorization: string | undefined): void {
  if (authorization === undefined) throw new Refusal('TokenMissing', 'The token of the metrics is missing.');
  const [, shown = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const [expected, actual] = [token, shown].map((text) => hash('sha256', text, 'buffer')) as [Buffer, Buffer];
  if (!timingSafeEqual(expected, actual)) throw new Refusal('TokenInvalid', 'The token of the metrics is wrong.');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Requests through a proxy on this machine come from a local address too, but have one of these headers. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (proxyHeaders.some((name) => name in headers)) return false;
  const address = socket.remoteAddress ?? '';
  return loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
