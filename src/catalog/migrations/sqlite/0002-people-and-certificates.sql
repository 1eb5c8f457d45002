-- Certificates of applications, people with their roles, and what the token issuer remembers.

-- Made anew, because the space and the secret may now be missing: an application that acts only for people belongs to no
-- space, and one that runs in a browser can keep no secret. redirect_uris: a JSON array, where people return to after
-- they signed in; NULL: nobody signs in through this application.
CREATE TABLE new_applications (
  app_key                TEXT    NOT NULL PRIMARY KEY,
  name                   TEXT    NOT NULL UNIQUE,
  kind                   TEXT    NOT NULL CHECK (kind IN ('client', 'server')),
  state                  TEXT    NOT NULL CHECK (state IN ('active', 'disabled', 'removed')),
  space                  INTEGER REFERENCES spaces (space),
  scopes                 TEXT    NOT NULL,
  secret_sha256          TEXT,
  previous_secret_sha256 TEXT,
  previous_secret_until  INTEGER,
  redirect_uris          TEXT,
  created_at             INTEGER NOT NULL
) STRICT;

INSERT INTO new_applications (app_key, name, kind, state, space, scopes, secret_sha256, previous_secret_sha256,
    previous_secret_until, created_at)
  SELECT app_key, name, kind, state, space, scopes, secret_sha256, previous_secret_sha256, previous_secret_until, created_at
  FROM applications;

DROP TABLE applications;
ALTER TABLE new_applications RENAME TO applications;

-- Which certificates an application may show. thumbprint: SHA-256 of the leaf's DER, base64url. One certificate belongs to
-- one application.
CREATE TABLE certificates (
  thumbprint TEXT    NOT NULL PRIMARY KEY,
  app_key    TEXT    NOT NULL REFERENCES applications (app_key),
  subject    TEXT    NOT NULL,
  not_after  INTEGER NOT NULL,
  added_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX certificates_by_application ON certificates (app_key);

-- Rows are never removed: a user's id is never given to someone else. password: argon2id in PHC form; NULL for people of
-- an outside issuer, whose id is `<issuer name>:<subject>`. signed_out_at: seconds since 1970; sign-ins from before are over.
-- It only ever grows, also twice within a second.
CREATE TABLE users (
  id            TEXT    NOT NULL PRIMARY KEY,
  name          TEXT    NOT NULL,
  state         TEXT    NOT NULL CHECK (state IN ('active', 'disabled')),
  password      TEXT,
  signed_out_at INTEGER NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
  user_id TEXT    NOT NULL REFERENCES users (id),
  space   INTEGER NOT NULL REFERENCES spaces (space),
  role    TEXT    NOT NULL CHECK (role IN ('viewer', 'editor', 'manager')),
  PRIMARY KEY (user_id, space)
) WITHOUT ROWID, STRICT;

-- Sign-ins, sessions, authorization codes, refresh tokens. Their ids are as good as passwords: what is kept of an id is
-- its SHA-256, base64url. payload: JSON without them, for a sign-in under way sealed with its id (docs/formats.md); NULL: the record was ended and stays so until it is forgotten, for a
-- request that began before may still want to write it. since: of sessions and grants, when the person signed in, in
-- seconds since 1970.
CREATE TABLE issuer_records (
  model       TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  uid         TEXT,
  grant_id    TEXT,
  user_id     TEXT,
  since       INTEGER,
  payload     TEXT,
  consumed_at INTEGER,
  expires_at  INTEGER NOT NULL,
  PRIMARY KEY (model, id)
) WITHOUT ROWID, STRICT;

CREATE INDEX issuer_records_by_uid ON issuer_records (uid) WHERE uid IS NOT NULL;
CREATE INDEX issuer_records_by_grant ON issuer_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX issuer_records_by_user ON issuer_records (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX issuer_records_by_age ON issuer_records (expires_at);
