-- Who made accounts and applications, sessions, app passwords, setup links, and links to files.

-- created_by: who made the account, as `CreatedBy` shows it; NULL: unknown. created_in: the space whose manager or
-- application made it; NULL: operators did, or the person belongs to an outside issuer. signed_in_at: the first sign-in that
-- is known, in milliseconds since 1970; NULL: none.
ALTER TABLE users ADD COLUMN created_by TEXT;
ALTER TABLE users ADD COLUMN created_in INTEGER REFERENCES spaces (space);
ALTER TABLE users ADD COLUMN signed_in_at INTEGER;

-- created_by: `operator`, or the manager or application that registered it; NULL: unknown. token_epoch: tokens of another
-- epoch are revoked.
ALTER TABLE applications ADD COLUMN created_by TEXT;
ALTER TABLE applications ADD COLUMN token_epoch INTEGER NOT NULL DEFAULT 0;

UPDATE users SET created_by = added.by
  FROM (SELECT entry, by FROM journal WHERE action = 'user.added') AS added WHERE added.entry = users.id;
UPDATE applications SET created_by = added.by
  FROM (SELECT entry, by FROM journal WHERE action = 'application.added') AS added WHERE added.entry = applications.app_key;
-- Only operators register applications that belong to no space.
UPDATE applications SET created_by = 'operator' WHERE space IS NULL;
-- The first role was given together with the account.
UPDATE users SET created_in = given.space
  FROM (SELECT entry, space, min(position) FROM journal WHERE action = 'user.role' GROUP BY entry) AS given
  WHERE given.entry = users.id AND created_by <> 'operator' AND password IS NOT NULL AND given.space <> 0;
UPDATE users SET signed_in_at = known.since * 1000
  FROM (SELECT user_id, min(since) AS since FROM issuer_records WHERE model = 'Session' AND since IS NOT NULL GROUP BY user_id)
  AS known WHERE known.user_id = users.id;

-- Passwords for programs that cannot sign in. hash: HMAC-SHA-256 of the secret part, hex, by a key of the environment.
-- app_key: the application that it was made with. Times in milliseconds since 1970.
CREATE TABLE app_passwords (
  id         TEXT    NOT NULL PRIMARY KEY,
  user_id    TEXT    NOT NULL REFERENCES users (id),
  name       TEXT    NOT NULL,
  access     TEXT    NOT NULL CHECK (access IN ('read', 'write')),
  space      INTEGER REFERENCES spaces (space),
  app_key    TEXT    NOT NULL,
  hash       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  used_at    INTEGER
) STRICT;

CREATE INDEX app_passwords_by_user ON app_passwords (user_id);

-- What has not been used yet. hash: SHA-256 of the secret, base64url. made_in: the space whose manager or application made
-- it; NULL: an operator did.
CREATE TABLE setup_links (
  hash       TEXT    NOT NULL PRIMARY KEY,
  user_id    TEXT    NOT NULL REFERENCES users (id),
  made_in    INTEGER REFERENCES spaces (space),
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX setup_links_by_user ON setup_links (user_id);
CREATE INDEX setup_links_by_age ON setup_links (expires_at);

-- Sign-ins of a browser to an application, as their owners see them. grant_id and session: the ids of the issuer's records,
-- hashed; a session lasts as long as both of them.
CREATE TABLE sessions (
  grant_id   TEXT    NOT NULL PRIMARY KEY,
  session    TEXT    NOT NULL,
  user_id    TEXT    NOT NULL,
  app_key    TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL,
  address    TEXT    NOT NULL,
  user_agent TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_age ON sessions (expires_at);

-- Links to versions of files that are still valid. user_id: the person who made it; NULL: an application did.
CREATE TABLE links (
  id         TEXT    NOT NULL PRIMARY KEY,
  space      INTEGER NOT NULL,
  entry      TEXT    NOT NULL,
  user_id    TEXT,
  made_by    TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX links_by_user ON links (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX links_by_age ON links (expires_at);
