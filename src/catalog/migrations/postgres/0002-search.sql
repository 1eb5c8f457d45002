-- The search index, which can be emptied at any time, for all of it comes from the catalog. What was indexed and the place in
-- the journal up to which it was are written in one transaction. `src/search/index-store.ts` explains the columns.

-- One row. position, link: how far the journal was followed, NULL: nothing was yet; walk: the entry up to which a rebuild has
-- come; format: of the words in the vectors, an older one is made anew.
CREATE TABLE search_state (
  one      BOOLEAN NOT NULL PRIMARY KEY CHECK (one),
  format   INTEGER NOT NULL,
  position BIGINT,
  link     TEXT,
  walk     BIGINT
);

INSERT INTO search_state (one, format) VALUES (true, 0);

-- names, words: what `src/search/vectors.ts` makes of the name alone, and of name, properties and text. pieces: how many rows
-- of `search_pieces` hold the places of the words, 0: they are in `words`.
-- Rows are kept short: a question goes through more of them than it needs the words or the text of.
CREATE TABLE search_documents (
  space       BIGINT NOT NULL,
  entry       BIGINT NOT NULL,
  name        TEXT NOT NULL,
  properties  TEXT NOT NULL,
  content     BIGINT,
  readable    TEXT,
  state       TEXT NOT NULL CHECK (state IN ('indexed', 'waiting', 'skipped')),
  reason      TEXT,
  attempts    INTEGER NOT NULL,
  length      INTEGER NOT NULL,
  frequencies BYTEA NOT NULL,
  text        TEXT,
  pieces      INTEGER NOT NULL,
  names       TSVECTOR NOT NULL,
  words       TSVECTOR NOT NULL,
  PRIMARY KEY (space, entry)
) WITH (toast_tuple_target = 256);

ALTER TABLE search_documents ALTER COLUMN name SET STORAGE MAIN;
ALTER TABLE search_documents ALTER COLUMN names SET STORAGE MAIN;
ALTER TABLE search_documents ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE INDEX search_documents_waiting ON search_documents (space, entry) WHERE state = 'waiting';
CREATE INDEX search_documents_skipped ON search_documents (space, entry) WHERE state = 'skipped';

-- What was just inserted waits in a list that every question goes through: it is kept short (KiB).
CREATE INDEX search_documents_by_name ON search_documents USING gin (names) WITH (gin_pending_list_limit = 256);
CREATE INDEX search_documents_by_word ON search_documents USING gin (words) WITH (gin_pending_list_limit = 1024);

CREATE TABLE search_pieces (
  space BIGINT NOT NULL,
  entry BIGINT NOT NULL,
  piece INTEGER NOT NULL,
  words TSVECTOR NOT NULL,
  PRIMARY KEY (space, entry, piece)
);

ALTER TABLE search_pieces ALTER COLUMN words SET STORAGE EXTERNAL;
