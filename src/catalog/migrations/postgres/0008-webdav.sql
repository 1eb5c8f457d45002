-- Locks and dead properties of WebDAV.

-- is_deep: whether it covers everything beneath. owner: the element DAV:owner as XML, and its text; NULL: none was sent.
-- taken_by: the actor, whom alone the token serves. is_new: the lock made the empty file that it is on, and nothing was saved
-- into it yet. Times in milliseconds since 1970.
CREATE TABLE locks (
  token        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  space       BIGINT NOT NULL REFERENCES spaces (space),
  entry       BIGINT NOT NULL,
  is_deep     BIGINT NOT NULL,
  is_exclusive BIGINT NOT NULL,
  owner        TEXT,
  owner_text   TEXT,
  taken_by     TEXT NOT NULL,
  is_new      BIGINT NOT NULL,
  taken_at    BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL
);

CREATE INDEX locks_by_space ON locks (space, expires_at);
CREATE INDEX locks_by_entry ON locks (entry);

-- xml: the whole element, with every namespace that it uses.
CREATE TABLE dead_properties (
  entry    BIGINT NOT NULL,
  namespace TEXT COLLATE "C" NOT NULL,
  name      TEXT COLLATE "C" NOT NULL,
  xml       TEXT NOT NULL,
  PRIMARY KEY (entry, namespace, name)
);
