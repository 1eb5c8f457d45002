-- Locks and dead properties of WebDAV.

-- is_deep: whether it covers everything beneath. owner: the element DAV:owner as XML, and its text; NULL: none was sent.
-- taken_by: the actor, whom alone the token serves. is_new: the lock made the empty file that it is on, and nothing was saved
-- into it yet. Times in milliseconds since 1970.
CREATE TABLE locks (
  token        TEXT    NOT NULL PRIMARY KEY,
  space        INTEGER NOT NULL REFERENCES spaces (space),
  entry        INTEGER NOT NULL,
  is_deep      INTEGER NOT NULL,
  is_exclusive INTEGER NOT NULL,
  owner        TEXT,
  owner_text   TEXT,
  taken_by     TEXT    NOT NULL,
  is_new       INTEGER NOT NULL,
  taken_at     INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX locks_by_space ON locks (space, expires_at);
CREATE INDEX locks_by_entry ON locks (entry);

-- xml: the whole element, with every namespace that it uses.
CREATE TABLE dead_properties (
  entry     INTEGER NOT NULL,
  namespace TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  xml       TEXT    NOT NULL,
  PRIMARY KEY (entry, namespace, name)
) STRICT, WITHOUT ROWID;
