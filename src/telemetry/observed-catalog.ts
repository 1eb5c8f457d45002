// A catalog whose saves are counted and whose verbs are spans of their request: a wrapper with the same verbs.

import type { Catalog } from '../catalog/catalog.ts';
import type { StoredContent } from '../catalog/verbs/stored-content.ts';
import type { EnvironmentMetrics } from './environment-metrics.ts';
import type { Tracer } from './tracer.ts';

type Ask = (input: never) => Promise<unknown>;

export function observeCatalog(catalog: Catalog, metrics: EnvironmentMetrics, tracer: Tracer | null): Catalog {
  const traced = tracer === null ? catalog : traceVerbs(catalog, tracer);
  return {
    ...traced,
    async saveFile(input) {
      const saved = await traced.saveFile(input);
      if (!saved.isReplayed) countSave(metrics, input.content);
      return saved;
    },
    async saveVersion(input) {
      const saved = await traced.saveVersion(input);
      if (saved !== null && !saved.isReplayed) countSave(metrics, input.content);
      return saved;
    },
  };
}

function countSave({ saves, savedBytes }: EnvironmentMetrics, { blob, sizeBytes }: StoredContent): void {
  const kind = blob === null ? 'inline' : 'blob';
  saves[kind].add();
  savedBytes[kind].add(sizeBytes);
}

function traceVerbs(catalog: Catalog, tracer: Tracer): Catalog {
  const verbs = Object.entries(catalog).filter(([name]) => name !== 'close') as [string, Ask][];
  const traced = verbs.map(([name, ask]) => [name, (input: never) => trace(tracer, name, () => ask(input))]);
  return { ...catalog, ...Object.fromEntries(traced) } as Catalog;
}

function trace(tracer: Tracer, verb: string, ask: () => Promise<unknown>): Promise<unknown> {
  const span = tracer.part(`catalog ${verb}`);
  if (span === null) return ask();
  return ask().then(
    (result) => {
      span.end();
      return result;
    },
    (error) => {
      span.isFailed = true;
      span.end();
      throw error;
    },
  );
}
