-- seal: the checksum of the row (src/catalog/row-checksums.ts); NULL: it was last written by a release that had none.
ALTER TABLE entries ADD COLUMN seal BIGINT;
ALTER TABLE versions ADD COLUMN seal BIGINT;
ALTER TABLE trash ADD COLUMN seal BIGINT;

-- While nodes of the release before go on beside those of this one: what they change without knowing of its seal has none
-- any more, instead of a wrong one.
CREATE FUNCTION drop_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.seal := NULL;
  RETURN NEW;
END
$$;

CREATE TRIGGER entries_unsealed BEFORE UPDATE OF parent, name, name_key, object_type, content_type, modified_at, modified_by,
  version, properties ON entries
  FOR EACH ROW WHEN (NEW.seal IS NOT NULL AND NEW.seal = OLD.seal) EXECUTE FUNCTION drop_seal();
CREATE TRIGGER versions_unsealed BEFORE UPDATE OF content_type, comment ON versions
  FOR EACH ROW WHEN (NEW.seal IS NOT NULL AND NEW.seal = OLD.seal) EXECUTE FUNCTION drop_seal();
