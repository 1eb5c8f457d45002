-- Resumable uploads. Finished ones stay until they expire, for clients that have lost the last response.
-- app_key, actor: the owner; nobody else sees it. protocol: ietf or tus. kind: whole; part, of a later final; or final, made
-- of parts. The column after it: the parameters of the save, as JSON. length: in bytes, NULL: not known yet. size: how many
-- bytes are durable. blob: where they are; NULL: a record refers to it, or no bytes were stored. grown: the blob store's
-- state for appending. turn: counts the requests that wrote to it; only the last one can write. is_busy: one may be writing.
-- is_last: the sender of the last bytes declared the upload complete. result: the id of the saved file or, for a part, of
-- the final upload that has its bytes. expires_at: milliseconds since 1970.
CREATE TABLE uploads (
  id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  app_key    TEXT NOT NULL,
  actor      TEXT NOT NULL,
  protocol   TEXT NOT NULL CHECK (protocol IN ('ietf', 'tus')),
  kind       TEXT NOT NULL CHECK (kind IN ('whole', 'part', 'final')),
  asked      TEXT NOT NULL,
  length     BIGINT,
  size       BIGINT NOT NULL,
  blob       TEXT COLLATE "C",
  grown      TEXT NOT NULL,
  turn       BIGINT NOT NULL,
  is_busy    BIGINT NOT NULL,
  is_last    BIGINT NOT NULL,
  result     TEXT,
  expires_at BIGINT NOT NULL
);

CREATE INDEX uploads_by_blob ON uploads (blob) WHERE blob IS NOT NULL;
CREATE INDEX uploads_by_owner ON uploads (app_key, actor);
CREATE INDEX uploads_by_age ON uploads (expires_at);
