-- The catalog on PostgreSQL: what `migrations/0001` to `0003` make on SQLite, where each table and column is explained.
-- Here stands only what is different. Text is ordered by its bytes everywhere, as the interface promises for names.

CREATE TABLE meta (
  name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE SEQUENCE space_numbers;
CREATE SEQUENCE entry_numbers;
CREATE SEQUENCE content_numbers;

CREATE TABLE spaces (
  space      BIGINT NOT NULL PRIMARY KEY,
  id         TEXT COLLATE "C" NOT NULL UNIQUE,
  name       TEXT COLLATE "C" NOT NULL UNIQUE,
  root       TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE applications (
  app_key                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name                   TEXT COLLATE "C" NOT NULL UNIQUE,
  kind                   TEXT NOT NULL CHECK (kind IN ('client', 'server')),
  state                  TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'removed')),
  space                  BIGINT REFERENCES spaces (space),
  scopes                 TEXT NOT NULL,
  secret_sha256          TEXT,
  previous_secret_sha256 TEXT,
  previous_secret_until  BIGINT,
  redirect_uris          TEXT,
  created_at             BIGINT NOT NULL
);

CREATE TABLE certificates (
  thumbprint TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  app_key    TEXT COLLATE "C" NOT NULL REFERENCES applications (app_key),
  subject    TEXT NOT NULL,
  not_after  BIGINT NOT NULL,
  added_at   BIGINT NOT NULL
);

CREATE INDEX certificates_by_application ON certificates (app_key);

CREATE TABLE users (
  id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name          TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('active', 'disabled')),
  password      TEXT,
  signed_out_at BIGINT NOT NULL,
  created_at    BIGINT NOT NULL
);

CREATE TABLE members (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id),
  space   BIGINT NOT NULL REFERENCES spaces (space),
  role    TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'manager')),
  PRIMARY KEY (user_id, space)
);

CREATE TABLE issuer_records (
  model       TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  uid         TEXT COLLATE "C",
  grant_id    TEXT COLLATE "C",
  user_id     TEXT COLLATE "C",
  since       BIGINT,
  payload     TEXT,
  consumed_at BIGINT,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (model, id)
);

CREATE INDEX issuer_records_by_uid ON issuer_records (uid) WHERE uid IS NOT NULL;
CREATE INDEX issuer_records_by_grant ON issuer_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX issuer_records_by_user ON issuer_records (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX issuer_records_by_age ON issuer_records (expires_at);

-- The space is not declared as a reference: every save would lock the one row of its space. A folder's size here is without
-- what stands in `size_additions`.
CREATE TABLE entries (
  entry        BIGINT NOT NULL PRIMARY KEY,
  space        BIGINT NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  parent       BIGINT,
  kind         SMALLINT NOT NULL CHECK (kind IN (0, 1)),
  name         TEXT NOT NULL,
  name_key     TEXT COLLATE "C" NOT NULL,
  object_type  TEXT,
  content_type TEXT,
  created_at   BIGINT NOT NULL,
  created_by   TEXT NOT NULL,
  modified_at  BIGINT NOT NULL,
  modified_by  TEXT NOT NULL,
  size         BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  properties   TEXT,
  height       INTEGER NOT NULL
);

CREATE UNIQUE INDEX entries_by_id ON entries (space, id);
-- Several write at once here: that a folder and a file do not share a name is seen to by this index.
CREATE UNIQUE INDEX entries_by_name ON entries (space, parent, name_key);
CREATE INDEX entries_in_order ON entries (space, parent, kind, name_key);
CREATE INDEX entries_by_modified ON entries (space, parent, kind, modified_at, id);
CREATE INDEX entries_by_size ON entries (space, parent, kind, size, id);

-- A single folder may hold nearly everything. With these statistics the planner finds a name by the index of names; with
-- those of typical folders it might scan another index.
ALTER TABLE entries ALTER COLUMN space SET (n_distinct = 1), ALTER COLUMN parent SET (n_distinct = 1);

-- Small contents stand in the row, unpacked: most are packed already, and trying costs every save.
CREATE TABLE contents (
  content   BIGINT NOT NULL PRIMARY KEY,
  sha256    BYTEA NOT NULL,
  size      BIGINT NOT NULL,
  blob      TEXT COLLATE "C",
  checksums BYTEA,
  bytes     BYTEA
) WITH (toast_tuple_target = 8160);

ALTER TABLE contents ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE contents ALTER COLUMN checksums SET STORAGE EXTERNAL;

CREATE UNIQUE INDEX contents_of_blobs ON contents (sha256) WHERE blob IS NOT NULL;
CREATE UNIQUE INDEX contents_by_blob ON contents (blob) WHERE blob IS NOT NULL;

-- The content is declared as a reference: it is what keeps a save in one space from pointing to bytes that a purge in another
-- lets go of at the same moment.
CREATE TABLE versions (
  entry         BIGINT NOT NULL,
  version       BIGINT NOT NULL,
  content       BIGINT NOT NULL REFERENCES contents (content),
  content_type  TEXT NOT NULL,
  created_at    BIGINT NOT NULL,
  created_by    TEXT NOT NULL,
  comment       TEXT,
  superseded_at BIGINT,
  PRIMARY KEY (entry, version)
);

CREATE INDEX versions_by_content ON versions (content);
CREATE INDEX versions_superseded ON versions (superseded_at) WHERE superseded_at IS NOT NULL;

CREATE TABLE trash (
  entry      BIGINT NOT NULL PRIMARY KEY,
  space      BIGINT NOT NULL,
  parent     TEXT COLLATE "C" NOT NULL,
  path       TEXT NOT NULL,
  trashed_at BIGINT NOT NULL,
  trashed_by TEXT NOT NULL
);

CREATE INDEX trash_in_order ON trash (space, trashed_at, entry);
CREATE INDEX trash_by_age ON trash (trashed_at);

CREATE TABLE hidden_trees (
  entry   BIGINT NOT NULL PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('copy', 'purge')),
  at      BIGINT NOT NULL
);

CREATE TABLE usage (
  space         BIGINT NOT NULL,
  actor         TEXT COLLATE "C" NOT NULL,
  entries       BIGINT NOT NULL,
  bytes         BIGINT NOT NULL,
  most_entries  BIGINT,
  most_bytes    BIGINT,
  most_requests BIGINT,
  PRIMARY KEY (space, actor)
);

-- What was added to the sizes of folders and to usage and is not folded into them yet: rows are only ever inserted, so
-- that no two saves wait for the same row. What a sum is: its row, and all that stands here.
CREATE TABLE size_additions (
  entry BIGINT NOT NULL,
  bytes BIGINT NOT NULL
);

CREATE INDEX size_additions_by_entry ON size_additions (entry);

CREATE TABLE usage_additions (
  space   BIGINT NOT NULL,
  actor   TEXT COLLATE "C" NOT NULL,
  entries BIGINT NOT NULL,
  bytes   BIGINT NOT NULL
);

CREATE INDEX usage_additions_by_actor ON usage_additions (space, actor);

CREATE TABLE journal (
  position BIGINT NOT NULL PRIMARY KEY,
  at       BIGINT NOT NULL,
  space    BIGINT NOT NULL,
  by       TEXT NOT NULL,
  action   TEXT NOT NULL,
  entry    TEXT NOT NULL,
  request  TEXT NOT NULL,
  details  TEXT NOT NULL,
  link     TEXT NOT NULL
);

CREATE INDEX journal_by_space ON journal (space, position);

-- The other way round: a space may have a few lines among many.
ALTER TABLE journal ALTER COLUMN space SET (n_distinct = 1000000);

-- Changes as their transactions wrote them. One sealer at a time gives those that are committed their places in the
-- journal and its chain, and takes them from here.
CREATE TABLE unsealed_changes (
  arrival BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      BIGINT NOT NULL,
  space   BIGINT NOT NULL,
  by      TEXT NOT NULL,
  action  TEXT NOT NULL,
  entry   TEXT NOT NULL,
  request TEXT NOT NULL,
  details TEXT NOT NULL
);

CREATE TABLE idempotency (
  app_key     TEXT COLLATE "C" NOT NULL,
  operation   TEXT COLLATE "C" NOT NULL,
  key         TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  result      TEXT NOT NULL,
  at          BIGINT NOT NULL,
  PRIMARY KEY (app_key, operation, key)
);

CREATE INDEX idempotency_by_age ON idempotency (at);

-- One row of each transaction that writes, which shows after a lost connection whether it was committed.
CREATE TABLE commits (
  mark        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  is_given_up BOOLEAN NOT NULL DEFAULT false
);

CREATE INDEX commits_by_age ON commits (at);

-- Blobs on their way: written before the upload begins, removed by the transaction whose record points to the blob, or by the
-- sweeper once the lease is over. Whoever removes the row decides. until: milliseconds since 1970.
CREATE TABLE leases (
  blob  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  until BIGINT NOT NULL
);

CREATE INDEX leases_by_age ON leases (until);
