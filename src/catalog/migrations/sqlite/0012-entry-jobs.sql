-- Changes of many entries that go on after the answer. results: JSON, once it is done. changed_at: the last sign of life of whoever
-- does the work. Times in milliseconds since 1970.
CREATE TABLE entry_jobs (
  id         TEXT    NOT NULL PRIMARY KEY,
  actor      TEXT    NOT NULL,
  app_key    TEXT    NOT NULL,
  total      INTEGER NOT NULL,
  done       INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  results    TEXT,
  changed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX entry_jobs_by_age ON entry_jobs (expires_at);
