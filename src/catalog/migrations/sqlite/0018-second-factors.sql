-- What a person shows beside the password. kind: totp or passkey. secret: of TOTP, encrypted with a key of the environment;
-- credential, public_key and transports: of a passkey. counter: the last step whose code was used (TOTP), or the signature counter.
CREATE TABLE second_factors (
  id         TEXT    NOT NULL PRIMARY KEY,
  user_id    TEXT    NOT NULL REFERENCES users (id),
  kind       TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  secret     TEXT,
  credential TEXT    UNIQUE,
  public_key TEXT,
  transports TEXT,
  counter    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX second_factors_of_user ON second_factors (user_id);

-- Codes that replace a second factor, each once. hash: HMAC with a key of the environment.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id),
  hash    TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;
