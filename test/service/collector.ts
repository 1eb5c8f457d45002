// A small OpenTelemetry collector, for tests: takes spans over OTLP/HTTP in JSON and keeps them.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './service.ts';

type Attribute = { key: string; value: { stringValue?: string; intValue?: string } };

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string>;
  status?: { code: number };
  resource: Record<string, string>;
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] })[] }[];
  }[];
}

interface CollectedRequest {
  path: string | undefined;
  contentType: string | undefined;
  authorization: string | undefined;
  text: string;
}

export interface Collector {
  url: string;
  status: number;
  /** It takes what comes, and answers nothing. */
  isSilent: boolean;
  requests: CollectedRequest[];
  spans(): CollectedSpan[];
  requested(count: number): Promise<void>;
  close(): void;
}

export async function openCollector(): Promise<Collector> {
  const requests: CollectedRequest[] = [];
  const server = createServer(async (request, response) => {
    const text = (await Array.fromAsync(request)).join('');
    const { 'content-type': contentType, authorization } = request.headers;
    requests.push({ path: request.url, contentType, authorization, text });
    if (!collector.isSilent) response.writeHead(collector.status, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    status: 200,
    isSilent: false,
    requests,
    spans: () => requests.flatMap(({ text }) => readSpans(JSON.parse(text) as Export)),
    requested: (count) => eventually(`${count} requests at the collector`, () => requests.length >= count),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return collector;
}

function readSpans({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: readAttributes(span.attributes),
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue)]));
}
