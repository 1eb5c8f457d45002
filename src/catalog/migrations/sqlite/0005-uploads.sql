-- Resumable uploads: those under way, and until they expire those that are over, so that whoever lost the last answer can ask.
-- app_key, actor: whose it is; only they see it. protocol: ietf or tus. kind: whole; part, of a later final; or final, made
-- of parts. asked: JSON, what the save will be asked for. length: in bytes, NULL: not said yet. size: how many bytes are
-- durable. blob: where they are; NULL: a record points there, or nothing was kept. grown: the blob store's note of how to go on.
-- turn: counts the requests that wrote to it; an older one than the last cannot write any more. is_busy: one may be at it.
-- is_last: whoever sent the last bytes said that these are all. result: the id of the saved file; or, for a part, of the final
-- upload that took its bytes. expires_at: milliseconds since 1970.
CREATE TABLE uploads (
  id         TEXT    NOT NULL PRIMARY KEY,
  app_key    TEXT    NOT NULL,
  actor      TEXT    NOT NULL,
  protocol   TEXT    NOT NULL CHECK (protocol IN ('ietf', 'tus')),
  kind       TEXT    NOT NULL CHECK (kind IN ('whole', 'part', 'final')),
  asked      TEXT    NOT NULL,
  length     INTEGER,
  size       INTEGER NOT NULL,
  blob       TEXT,
  grown      TEXT    NOT NULL,
  turn       INTEGER NOT NULL,
  is_busy    INTEGER NOT NULL,
  is_last    INTEGER NOT NULL,
  result     TEXT,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX uploads_by_blob ON uploads (blob) WHERE blob IS NOT NULL;
CREATE INDEX uploads_by_owner ON uploads (app_key, actor);
CREATE INDEX uploads_by_age ON uploads (expires_at);
