-- seal: the checksum of the row (src/catalog/row-checksums.ts); NULL: it was last written by a release that had none.
ALTER TABLE entries ADD COLUMN seal INTEGER;
ALTER TABLE versions ADD COLUMN seal INTEGER;
ALTER TABLE trash ADD COLUMN seal INTEGER;
