-- Links of the journal are made with a key (src/domain/chain.ts). A node of an earlier release does not know it: what it would append
-- breaks the chain, so it must not append. Its changes wait, and the nodes of this release append them.
CREATE FUNCTION refuse_link_without_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM journal WHERE position = NEW.position - 1 AND position('.' IN link) > 0) THEN
    RAISE EXCEPTION 'the journal goes on with a key, which this release does not know; upgrade this node';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER link_without_key BEFORE INSERT ON journal FOR EACH ROW WHEN (position('.' IN NEW.link) = 0)
  EXECUTE FUNCTION refuse_link_without_key();
