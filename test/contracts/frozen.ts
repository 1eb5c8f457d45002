// A catalog whose verbs cannot change their input: a batch that is begun anew runs them again with the same input, so
// one that moved forward in it would leave something out.

import type { Catalog } from '../../src/catalog/catalog.ts';

export function toFrozen(catalog: Catalog): Catalog {
  return new Proxy(catalog, {
    get(target, name, receiver) {
      const verb = Reflect.get(target, name, receiver) as (input?: unknown) => unknown;
      return (input?: unknown) => verb(freeze(input));
    },
  });
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
