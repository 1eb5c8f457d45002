-- Webhooks: receivers of the journal's events, one position in the journal each, and a log of what was sent to them.

-- events: a JSON array of patterns. folder: the id of an entry; NULL: the whole space. secret: encrypted, base64url.
-- previous_secret: also signs until previous_until. state: active, paused, failing or disabled. position: the last position
-- that the receiver took. revision: counts the changes, so that a delivery that began before one does not undo it.
-- attempts: failed ones for the next event, since failing_since; the next one is at retry_at. Times in milliseconds since 1970.
CREATE TABLE webhooks (
  id              TEXT    NOT NULL PRIMARY KEY,
  space           INTEGER NOT NULL REFERENCES spaces (space),
  url             TEXT    NOT NULL,
  events          TEXT    NOT NULL,
  folder          TEXT,
  description     TEXT    NOT NULL,
  secret          TEXT    NOT NULL,
  previous_secret TEXT,
  previous_until  INTEGER,
  state           TEXT    NOT NULL,
  created_at      INTEGER NOT NULL,
  created_by      TEXT    NOT NULL,
  position        INTEGER NOT NULL,
  revision        INTEGER NOT NULL,
  attempts        INTEGER NOT NULL,
  failing_since   INTEGER,
  retry_at        INTEGER
) STRICT;

CREATE INDEX webhooks_by_space ON webhooks (space, id);

-- status: the HTTP status; NULL: there was no answer, and error says why. response: the beginning of its body.
CREATE TABLE webhook_deliveries (
  id          TEXT    NOT NULL PRIMARY KEY,
  webhook     TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  attempt     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  status      INTEGER,
  duration_ms INTEGER NOT NULL,
  error       TEXT,
  response    TEXT
) STRICT;

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook, id);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (at);

-- Where a folder or an entry was at a position of the journal, for webhooks of one folder. Saves of files are not in it.
CREATE INDEX journal_placements ON journal (space, entry, position)
  WHERE action IN ('folder.created', 'entry.changed', 'entry.attached', 'entry.trashed', 'entry.restored', 'entry.removed');
