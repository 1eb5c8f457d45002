// Loaded before the service by `--import`, and only by tests: puts a mistake into one source module while it is loaded, by
// replacing one exact text. What is not there exactly once cannot be replaced, and then nothing starts.

import { registerHooks } from 'node:module';

export interface Replacement {
  /** The end of the module's path. */
  module: string;
  from: string;
  to: string;
}

const replacements = JSON.parse(process.env.CRASH_SEED ?? '[]') as Replacement[];

function replaceAll(url: string, source: string): string {
  let text = source;
  for (const { module, from, to } of replacements) {
    if (!url.endsWith(module)) continue;
    if (text.split(from).length !== 2)
      throw new Error(`the mistake cannot be made: ${module} does not have ${from} once`);
    text = text.replace(from, () => to);
  }
  return text;
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!replacements.some(({ module }) => url.endsWith(module))) return loaded;
    return { ...loaded, source: replaceAll(url, String(loaded.source)) };
  },
});
