-- What the natural order of names goes by: digits as numbers, without case and accents. NULL: written by an earlier release, or by a
-- node that is not updated yet; the first listing in this order adds it.
ALTER TABLE entries ADD COLUMN natural_key TEXT COLLATE "C";

CREATE INDEX entries_in_natural_order ON entries (space, parent, kind, natural_key, name_key);

-- A node that is not updated yet changes a name without knowing of its key.
CREATE FUNCTION drop_natural_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.natural_key := NULL;
  RETURN NEW;
END
$$;

CREATE TRIGGER entries_unordered BEFORE UPDATE OF name_key ON entries
  FOR EACH ROW WHEN (NEW.name_key <> OLD.name_key AND NEW.natural_key = OLD.natural_key) EXECUTE FUNCTION drop_natural_key();
