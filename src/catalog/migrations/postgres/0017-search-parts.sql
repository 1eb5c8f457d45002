-- Runs of three characters of the folded name, by which a part of a name is found. NULL: written by an earlier release; the index
-- has another format now and is rebuilt.
ALTER TABLE search_documents ADD COLUMN parts TSVECTOR;
ALTER TABLE search_documents ALTER COLUMN parts SET STORAGE EXTERNAL;

CREATE INDEX search_documents_by_part ON search_documents USING gin (parts) WITH (gin_pending_list_limit = 256);
