// The types of the client are those of the service's own description.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument, renderDescription } from '../generate.ts';

test('src/description.ts is what the service describes (node sdk/generate.ts writes it anew)', () => {
  const written = readFileSync(join(import.meta.dirname, '../src/description.ts'), 'utf8');
  assert.equal(written, renderDescription(readDocument()));
});
