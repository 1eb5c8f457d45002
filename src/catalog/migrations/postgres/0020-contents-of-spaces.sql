-- Equal large contents are kept once in a space, no longer once in the whole environment: how long a save takes must not tell what
-- others have. Those that several spaces share already stay shared, and count as those of one of them. NULL: a small content.
ALTER TABLE contents ADD COLUMN space BIGINT;

UPDATE contents SET space = (SELECT min(entries.space) FROM versions JOIN entries ON entries.entry = versions.entry
  WHERE versions.content = contents.content)
WHERE blob IS NOT NULL;

DROP INDEX contents_of_blobs;
CREATE UNIQUE INDEX contents_of_blobs ON contents (space, sha256) WHERE blob IS NOT NULL;
