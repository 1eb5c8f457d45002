-- Entries that people have starred, and those that they opened or saved last. A row of an entry that is gone is forgotten by the
-- sweep. Times in milliseconds since 1970.
CREATE TABLE starred (
  user_id TEXT    NOT NULL,
  space   INTEGER NOT NULL,
  id      TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (user_id, space, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX starred_by_time ON starred (user_id, at, id);

CREATE TABLE recent (
  user_id TEXT    NOT NULL,
  space   INTEGER NOT NULL,
  id      TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (user_id, space, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX recent_by_time ON recent (user_id, at, id);
