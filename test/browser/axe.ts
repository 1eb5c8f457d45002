// axe in a page: what it finds against WCAG 2.2 AA, and its good practices.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const source = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { html: string; any: { message: string }[]; failureSummary?: string }[];
}

/** In dark colours only contrast can differ: everything else was looked at in light ones. */
const run = `axe.run(document, {
  resultTypes: ['violations'],
  ...(matchMedia('(prefers-color-scheme: dark)').matches && { runOnly: ['color-contrast', 'link-in-text-block'] }),
})`;

/** One line for each finding; none is what a page wants. Whatever moves has come to rest before. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity).map((one) => one.finished.catch(() => null)))',
  );
  if ((await page.evaluate("'axe' in globalThis")) === false) await page.evaluate(source);
  const { violations } = (await page.evaluate(run)) as {
    violations: Violation[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 300)}`),
  );
}
