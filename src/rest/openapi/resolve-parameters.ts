// For programs that read the document: puts the parameters into their operations, in place of the references.

import type { Json } from './components.ts';

interface Operation {
  parameters?: { $ref: string }[];
}

export function resolveParameters(document: Json): Json {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Operation>>;
    components: { parameters: Json };
  };
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { parameters = [] } = operation;
    const resolved = parameters.map(({ $ref }) => components.parameters[$ref.replace(/^.*\//, '')]);
    if (resolved.length > 0) Object.assign(operation, { parameters: resolved });
  }
  return document;
}
