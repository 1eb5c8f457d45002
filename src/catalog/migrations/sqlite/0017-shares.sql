-- Links to entries for whoever has their secret. secret_hash: SHA-256; secret: encrypted, for the maker alone. entry: its id.
-- user_id: the person who made it; null: the application did, for itself. Times in milliseconds since 1970.
CREATE TABLE shares (
  id            TEXT    NOT NULL PRIMARY KEY,
  secret_hash   TEXT    NOT NULL,
  secret        TEXT    NOT NULL,
  space         INTEGER NOT NULL,
  entry         TEXT    NOT NULL,
  access        TEXT    NOT NULL CHECK (access IN ('read', 'upload')),
  name          TEXT    NOT NULL,
  note          TEXT,
  password      TEXT,
  expires_at    INTEGER NOT NULL,
  max_downloads INTEGER,
  downloads     INTEGER NOT NULL,
  uploads       INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  created_by    TEXT    NOT NULL,
  user_id       TEXT,
  app_key       TEXT    NOT NULL,
  last_used_at  INTEGER,
  revoked_at    INTEGER
) STRICT;
CREATE UNIQUE INDEX shares_by_secret ON shares (secret_hash);
CREATE INDEX shares_by_entry ON shares (space, entry, id);
CREATE INDEX shares_by_space ON shares (space, id);
CREATE INDEX shares_by_person ON shares (user_id, id);
CREATE INDEX shares_by_age ON shares (expires_at);
CREATE INDEX shares_by_end ON shares (revoked_at) WHERE revoked_at IS NOT NULL;

-- Downloads that were begun, so that they can be resumed. entry: the id of the file.
CREATE TABLE share_downloads (
  share    TEXT    NOT NULL,
  entry    TEXT    NOT NULL,
  address  TEXT    NOT NULL,
  begun_at INTEGER NOT NULL,
  PRIMARY KEY (share, entry, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX share_downloads_by_age ON share_downloads (begun_at);
