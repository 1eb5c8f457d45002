-- What the whole life of entries needs: a trash, versions that come and go, every order of listing, quotas, the feed.

-- Made anew: `parent` refers to an entry, but is not declared to, for SQLite would search the whole table for children at
-- every delete; the verbs see to it. height: how many levels of folders stand beneath a folder, or once stood there.
-- Beside its root each space has two hidden folders, whose ids begin with a dash and whose parent is NULL too:
-- `-trash-` holds what can be restored, `-hidden-` the trees that are being copied or taken apart. In both, name_key is
-- the entry's id, so that names do not collide.
CREATE TABLE new_entries (
  entry        INTEGER NOT NULL PRIMARY KEY,
  space        INTEGER NOT NULL REFERENCES spaces (space),
  id           TEXT    NOT NULL,
  parent       INTEGER,
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
  properties   TEXT,
  height       INTEGER NOT NULL
) STRICT;

INSERT INTO new_entries (entry, space, id, parent, kind, name, name_key, object_type, content_type, created_at, created_by,
    modified_at, modified_by, size, version, properties, height)
  SELECT entry, space, id, parent, kind, name, name_key, object_type, content_type, created_at, created_by, modified_at,
    modified_by, size, version, properties, 0
  FROM entries;

-- comment: what the client said of the version. superseded_at: when the next one took its place; NULL: it is the current one.
CREATE TABLE new_versions (
  entry         INTEGER NOT NULL REFERENCES new_entries (entry),
  version       INTEGER NOT NULL,
  content       INTEGER NOT NULL REFERENCES contents (content),
  content_type  TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  created_by    TEXT    NOT NULL,
  comment       TEXT,
  superseded_at INTEGER,
  PRIMARY KEY (entry, version)
) WITHOUT ROWID, STRICT;

INSERT INTO new_versions (entry, version, content, content_type, created_at, created_by, superseded_at)
  SELECT entry, version, content, content_type, created_at, created_by,
    (SELECT next.created_at FROM versions AS next
     WHERE next.entry = versions.entry AND next.version > versions.version ORDER BY next.version LIMIT 1)
  FROM versions;

DROP TABLE versions;
DROP TABLE entries;
ALTER TABLE new_entries RENAME TO entries;
ALTER TABLE new_versions RENAME TO versions;

CREATE UNIQUE INDEX entries_by_id ON entries (space, id);

-- Serves listing in order as well as looking for a name. That a folder and a file do not share a name is seen to by the
-- verbs, which look for both kinds before they write; there is only one writer.
CREATE UNIQUE INDEX entries_in_order ON entries (space, parent, kind, name_key);
CREATE INDEX entries_by_modified ON entries (space, parent, kind, modified_at, id);
CREATE INDEX entries_by_size ON entries (space, parent, kind, size, id);

CREATE INDEX versions_by_content ON versions (content);
CREATE INDEX versions_superseded ON versions (superseded_at) WHERE superseded_at IS NOT NULL;

WITH RECURSIVE up (folder, levels) AS (
  SELECT parent, 1 FROM entries WHERE kind = 0 AND parent IS NOT NULL
  UNION
  SELECT parent, levels + 1 FROM entries JOIN up ON entry = folder WHERE parent IS NOT NULL
)
UPDATE entries SET height = (SELECT max(levels) FROM up WHERE folder = entry) WHERE entry IN (SELECT folder FROM up);

INSERT INTO entries (space, id, parent, kind, name, name_key, created_at, created_by, modified_at, modified_by, size, version,
    height)
  SELECT space, hidden.id, NULL, 0, hidden.id, hidden.id, created_at, 'operator', created_at, 'operator', 0, 0, 0
  FROM spaces, (SELECT '-trash-' AS id UNION ALL SELECT '-hidden-') AS hidden;

-- The tops of what was trashed. parent: the id of the folder that it was in, which may be gone meanwhile; entries' numbers
-- can be given again, ids are not. path: where it was.
CREATE TABLE trash (
  entry      INTEGER NOT NULL PRIMARY KEY REFERENCES entries (entry),
  space      INTEGER NOT NULL REFERENCES spaces (space),
  parent     TEXT    NOT NULL,
  path       TEXT    NOT NULL,
  trashed_at INTEGER NOT NULL,
  trashed_by TEXT    NOT NULL
) STRICT;

CREATE INDEX trash_in_order ON trash (space, trashed_at, entry);
CREATE INDEX trash_by_age ON trash (trashed_at);

-- The tops of the trees in `-hidden-`. at: for a copy, when its last slice was made; one that was left half-made is taken
-- apart too.
CREATE TABLE hidden_trees (
  entry   INTEGER NOT NULL PRIMARY KEY REFERENCES entries (entry),
  purpose TEXT    NOT NULL CHECK (purpose IN ('copy', 'purge')),
  at      INTEGER NOT NULL
) STRICT;

-- What a space holds, in all (actor '') and by who made it: entries without the root, and the bytes of all their
-- versions, in the trash too. most_*: the quota; NULL: none. most_requests: in a second.
CREATE TABLE usage (
  space         INTEGER NOT NULL REFERENCES spaces (space),
  actor         TEXT    NOT NULL,
  entries       INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  most_entries  INTEGER,
  most_bytes    INTEGER,
  most_requests INTEGER,
  PRIMARY KEY (space, actor)
) WITHOUT ROWID, STRICT;

INSERT INTO usage (space, actor, entries, bytes)
  SELECT space, actor, sum(entries), sum(bytes) FROM (
    SELECT space, '' AS actor, 0 AS entries, 0 AS bytes FROM spaces
    UNION ALL
    SELECT space, '', 1, 0 FROM entries WHERE parent IS NOT NULL
    UNION ALL
    SELECT space, created_by, 1, 0 FROM entries WHERE parent IS NOT NULL
    UNION ALL
    SELECT space, '', 0, contents.size FROM versions JOIN contents USING (content) JOIN entries USING (entry)
    UNION ALL
    SELECT space, versions.created_by, 0, contents.size
    FROM versions JOIN contents USING (content) JOIN entries USING (entry)
  ) GROUP BY space, actor;

CREATE INDEX journal_by_space ON journal (space, position);
