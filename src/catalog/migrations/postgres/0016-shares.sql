-- Links to entries for whoever has their secret. secret_hash: SHA-256; secret: encrypted, for the maker alone. entry: its id.
-- user_id: the person who made it; null: the application did, for itself. Times in milliseconds since 1970.
CREATE TABLE shares (
  id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  secret_hash   TEXT COLLATE "C"    NOT NULL,
  secret        TEXT    NOT NULL,
  space         BIGINT NOT NULL,
  entry         TEXT COLLATE "C"    NOT NULL,
  access        TEXT    NOT NULL CHECK (access IN ('read', 'upload')),
  name          TEXT    NOT NULL,
  note          TEXT,
  password      TEXT,
  expires_at    BIGINT NOT NULL,
  max_downloads BIGINT,
  downloads     BIGINT NOT NULL,
  uploads       BIGINT NOT NULL,
  created_at    BIGINT NOT NULL,
  created_by    TEXT    NOT NULL,
  user_id       TEXT COLLATE "C",
  app_key       TEXT    NOT NULL,
  last_used_at  BIGINT,
  revoked_at    BIGINT
);
CREATE UNIQUE INDEX shares_by_secret ON shares (secret_hash);
CREATE INDEX shares_by_entry ON shares (space, entry, id);
CREATE INDEX shares_by_space ON shares (space, id);
CREATE INDEX shares_by_person ON shares (user_id, id);
CREATE INDEX shares_by_age ON shares (expires_at);
CREATE INDEX shares_by_end ON shares (revoked_at) WHERE revoked_at IS NOT NULL;

-- Downloads that were begun, so that they can be resumed. entry: the id of the file.
CREATE TABLE share_downloads (
  share    TEXT COLLATE "C"    NOT NULL,
  entry    TEXT COLLATE "C"    NOT NULL,
  address  TEXT COLLATE "C"    NOT NULL,
  begun_at BIGINT NOT NULL,
  PRIMARY KEY (share, entry, address)
);
CREATE INDEX share_downloads_by_age ON share_downloads (begun_at);
