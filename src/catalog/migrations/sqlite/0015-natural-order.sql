-- What the natural order of names goes by: digits as numbers, without case and accents. NULL: written by an earlier release; the first
-- listing in this order adds it.
ALTER TABLE entries ADD COLUMN natural_key TEXT;

CREATE INDEX entries_in_natural_order ON entries (space, parent, kind, natural_key, name_key);
