-- Entries that people have starred, and those that they opened or saved last. A row of an entry that is gone is forgotten by the
-- sweep. Times in milliseconds since 1970.
CREATE TABLE starred (
  user_id TEXT COLLATE "C" NOT NULL,
  space   BIGINT NOT NULL,
  id      TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (user_id, space, id)
);

CREATE INDEX starred_by_time ON starred (user_id, at, id);

CREATE TABLE recent (
  user_id TEXT COLLATE "C" NOT NULL,
  space   BIGINT NOT NULL,
  id      TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (user_id, space, id)
);

CREATE INDEX recent_by_time ON recent (user_id, at, id);
