-- asks_consent: whether people are asked before the application acts for them. Operators trust the applications that they
-- register themselves.
ALTER TABLE applications ADD COLUMN asks_consent INTEGER NOT NULL DEFAULT 0;
UPDATE applications SET asks_consent = 1 WHERE redirect_uris IS NOT NULL AND coalesce(created_by, '') <> 'operator';

-- What people have allowed applications to do for them. scopes: separated by spaces. given_at: in milliseconds since 1970.
CREATE TABLE consents (
  user_id  TEXT    NOT NULL REFERENCES users (id),
  app_key  TEXT    NOT NULL REFERENCES applications (app_key),
  scopes   TEXT    NOT NULL,
  given_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, app_key)
) STRICT, WITHOUT ROWID;
