// The client orders names as the service does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toNameKey, toNaturalKey } from '../../src/domain/name.ts';
import { anyCharacter } from '../../test/any-character.ts';
import { compareNames } from '../src/natural-order.ts';

/** As the catalog compares: the bytes of the keys, then those of the names. */
function compareStored(a: string, b: string): number {
  const [left, right] = [toNameKey(a), toNameKey(b)];
  const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return bytes(toNaturalKey(left), toNaturalKey(right)) || bytes(left, right);
}

const unit = fc.oneof(
  fc.constantFrom('a', 'A', 'ä', 'ß', 'ss', '0', '1', '10', ' ', '.', '😀', '\uffee'),
  anyCharacter,
);
const name = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''));

test('two names compare as they do in the catalog', () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      assert.equal(Math.sign(compareNames(a, b)), Math.sign(compareStored(a, b)));
    }),
    { numRuns: 3000 },
  );
});
