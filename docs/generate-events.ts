// Writes the table of events in docs/webhooks.md: `bin/pinned-node docs/generate-events.ts`. `test/documentation.test.ts` fails when it
// is out of date.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventTypes, toEventType } from '../src/domain/webhook-events.ts';

const path = join(import.meta.dirname, 'webhooks.md');
const marks = /(<!-- events: [^\n]*-->\n)[\s\S]*(<!-- end -->)/;

function renderEvents(): string {
  const lines = eventTypes.map(
    ({ action, about, details }) => `| \`${toEventType(action)}\` | ${about} | \`${JSON.stringify(details)}\` |`,
  );
  return ['', '| Type | When | Example of `Details` |', '|---|---|---|', ...lines, '', ''].join('\n');
}

export function renderPage(text: string): string {
  return text.replace(marks, (_, begin: string, end: string) => `${begin}${renderEvents()}${end}`);
}

if (import.meta.main) writeFileSync(path, renderPage(readFileSync(path, 'utf8')));
