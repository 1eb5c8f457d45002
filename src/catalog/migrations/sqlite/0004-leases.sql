-- Blobs on their way, where several processes share a blob store: written before the upload begins, removed by the
-- transaction whose record points to the blob, or by the sweeper once the lease is over. Whoever removes the row decides.
-- until: milliseconds since 1970.
CREATE TABLE leases (
  blob  TEXT    NOT NULL PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX leases_by_age ON leases (until);
