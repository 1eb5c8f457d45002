-- seal: the CRC-32 of what the row says (src/catalog/seals.ts); NULL: it was last written by a release that knew none.
ALTER TABLE entries ADD COLUMN seal INTEGER;
ALTER TABLE versions ADD COLUMN seal INTEGER;
ALTER TABLE trash ADD COLUMN seal INTEGER;
