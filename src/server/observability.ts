// What operators' tools see, by configuration: metrics of the process and of each environment, and traces.

import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import type { EnvironmentContext } from '../rest/environment-context.ts';
import type { Clock } from '../runtime/clock.ts';
import { readVersion } from '../runtime/version.ts';
import { EnvironmentMetrics, type Parts } from '../telemetry/environment-metrics.ts';
import { OtlpExporter } from '../telemetry/otlp.ts';
import { openProcessMetrics, type ProcessMetrics } from '../telemetry/process-metrics.ts';
import { Tracer } from '../telemetry/tracer.ts';
import type { Environment } from './environment.ts';

export class Observability {
  readonly metrics: Record<EnvironmentName, EnvironmentMetrics>;
  /** Null: traces are not wanted. */
  readonly tracer: Tracer | null = null;
  readonly #process: ProcessMetrics;
  readonly #exporter: OtlpExporter | null = null;

  constructor({ catalog, blobs, telemetry }: Config, log: Logger, clock: Clock) {
    this.metrics = {
      production: new EnvironmentMetrics('production', clock),
      test: new EnvironmentMetrics('test', clock),
    };
    const version = readVersion();
    this.#process = openProcessMetrics({ version, catalog: catalog.kind, blobs: blobs.kind });
    const { otlpEndpoint, otlpShare } = telemetry;
    if (otlpEndpoint === null) return;
    const exporter = new OtlpExporter({
      endpoint: otlpEndpoint,
      resource: toResource(version),
      clock,
      lastSendMs: 2000,
      onOutage: (error) => log.warn({ err: error }, 'traces cannot be sent; they are dropped when too many wait'),
    });
    this.#exporter = exporter;
    this.tracer = new Tracer(exporter, otlpShare);
    this.#process.registry.read('counter', 'cabinet_trace_spans_total', 'Spans, by what became of them', () => [
      { labels: { outcome: 'sent' }, value: exporter.sent },
      { labels: { outcome: 'dropped' }, value: exporter.dropped },
    ]);
  }

  /** What `/metrics` of an environment's addresses answers: the process, and this environment alone. */
  async render(name: EnvironmentName): Promise<string> {
    return this.#process.registry.render() + (await this.metrics[name].render());
  }

  /** `context` is read each time: it is replaced when keys change. */
  watch(environment: Environment, context: () => EnvironmentContext | null): void {
    this.metrics[environment.name].open(toParts(environment, context));
    this.metrics[environment.name].watchUploads(environment.cabinet.uploadMemory);
  }

  async close(): Promise<void> {
    this.#process.close();
    await this.#exporter?.close();
  }
}

function toParts({ cabinet, pool }: Environment, context: () => EnvironmentContext | null): Parts {
  return {
    freeBytes() {
      const bytes = cabinet.freeBytes();
      return bytes === Number.MAX_SAFE_INTEGER ? null : bytes;
    },
    pool,
    isReady: () => context()?.isReady() ?? false,
    isReadyToWrite: () => context()?.isReadyToWrite() ?? false,
    largeBodies: () => context()?.largeBodies.used ?? 0,
    bodyMemory: () => context()?.bodyMemory.usedBytes ?? 0,
    archives: () => context()?.archives.used ?? 0,
    async poll() {
      const { documents, waiting, skipped, position } = await cabinet.search.status();
      const last = (await cabinet.catalog.findJournalEnds({}))?.last ?? 0;
      return { search: { documents, waiting, skipped, behind: Math.max(0, last - position) }, journalPosition: last };
    },
  };
}

/** By the names of OpenTelemetry's conventions. An instance is a process on a machine, as in the logs. */
function toResource(version: string) {
  return {
    'service.name': 'cabinet',
    'service.version': version,
    'service.instance.id': `${hostname()}-${process.pid}`,
  };
}
