// Any character at all, for properties: `fc.string({ unit: anyCharacter })`. Its own unit 'binary' begins with a list of all of them,
// which takes longer than most tests.

import fc from 'fast-check';

export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));
