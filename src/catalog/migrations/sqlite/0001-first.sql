-- The first catalog. Every key by which entries are found begins with the space. Times are milliseconds since 1970.

CREATE TABLE meta (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE spaces (
  space      INTEGER NOT NULL PRIMARY KEY,
  id         TEXT    NOT NULL UNIQUE,
  name       TEXT    NOT NULL UNIQUE,
  root       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Rows are never removed: an application's name is never given to another one.
CREATE TABLE applications (
  app_key                TEXT    NOT NULL PRIMARY KEY,
  name                   TEXT    NOT NULL UNIQUE,
  kind                   TEXT    NOT NULL CHECK (kind IN ('client', 'server')),
  state                  TEXT    NOT NULL CHECK (state IN ('active', 'disabled', 'removed')),
  space                  INTEGER NOT NULL REFERENCES spaces (space),
  scopes                 TEXT    NOT NULL,
  secret_sha256          TEXT    NOT NULL,
  previous_secret_sha256 TEXT,
  previous_secret_until  INTEGER,
  created_at             INTEGER NOT NULL
) STRICT;

-- Entries are numbered in order of arrival; inside, they are referred to by that number, which makes keys short. Outside,
-- only `id` is known. kind: 0 folder, 1 file, so that folders sort before files. name_key: the NFC form of the name, what
-- makes two names the same. object_type and properties are NULL for the default and for none. size: a folder's is kept up
-- to date by every save beneath it. version: a file's current one; 0 for folders.
CREATE TABLE entries (
  entry        INTEGER NOT NULL PRIMARY KEY,
  space        INTEGER NOT NULL REFERENCES spaces (space),
  id           TEXT    NOT NULL,
  parent       INTEGER REFERENCES entries (entry),
  kind         INTEGER NOT NULL CHECK (kind IN (0, 1)),
  name         TEXT    NOT NULL,
  name_key     TEXT    NOT NULL,
  object_type  TEXT,
  content_type TEXT,
  created_at   INTEGER NOT NULL,
  created_by   TEXT    NOT NULL,
  modified_at  INTEGER NOT NULL,
  modified_by  TEXT    NOT NULL,
  size         INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  properties   TEXT
) STRICT;

CREATE UNIQUE INDEX entries_by_id ON entries (space, id);

-- Serves listing in order as well as looking for a name. That a folder and a file do not share a name is seen to by the
-- verbs, which look for both kinds before they write; there is only one writer.
CREATE UNIQUE INDEX entries_in_order ON entries (space, parent, kind, name_key);

-- Bytes, in order of arrival. Small ones stand in the row itself; large ones in the blob store under the name `blob`,
-- with the CRC-32 of each MiB (unsigned, little endian) in `checksums`. The same large bytes are kept once.
CREATE TABLE contents (
  content   INTEGER NOT NULL PRIMARY KEY,
  sha256    BLOB    NOT NULL,
  size      INTEGER NOT NULL,
  blob      TEXT,
  checksums BLOB,
  bytes     BLOB
) STRICT;

CREATE UNIQUE INDEX contents_of_blobs ON contents (sha256) WHERE blob IS NOT NULL;
CREATE UNIQUE INDEX contents_by_blob ON contents (blob) WHERE blob IS NOT NULL;

CREATE TABLE versions (
  entry        INTEGER NOT NULL REFERENCES entries (entry),
  version      INTEGER NOT NULL,
  content      INTEGER NOT NULL REFERENCES contents (content),
  content_type TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  created_by   TEXT    NOT NULL,
  PRIMARY KEY (entry, version)
) WITHOUT ROWID, STRICT;

-- Every change, in commit order, each linked to the one before it (see docs/formats.md).
CREATE TABLE journal (
  position INTEGER NOT NULL PRIMARY KEY,
  at       INTEGER NOT NULL,
  space    INTEGER NOT NULL,
  by       TEXT    NOT NULL,
  action   TEXT    NOT NULL,
  entry    TEXT    NOT NULL,
  request  TEXT    NOT NULL,
  details  TEXT    NOT NULL,
  link     TEXT    NOT NULL
) STRICT;

-- Results that are given again to a repeated request. fingerprint: SHA-256 of the request's parameters.
CREATE TABLE idempotency (
  app_key     TEXT   NOT NULL,
  operation   TEXT   NOT NULL,
  key         TEXT   NOT NULL,
  fingerprint TEXT   NOT NULL,
  result      TEXT   NOT NULL,
  at          INTEGER NOT NULL,
  PRIMARY KEY (app_key, operation, key)
) WITHOUT ROWID, STRICT;

CREATE INDEX idempotency_by_age ON idempotency (at);
