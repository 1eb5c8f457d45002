-- Unfinished uploads count as used.

-- space: where the bytes count until the upload is finished; NULL: nowhere, an earlier release began it as a part.
ALTER TABLE uploads ADD COLUMN space BIGINT;
UPDATE uploads SET space = (asked::json -> 'save' ->> 'space')::bigint;

CREATE INDEX uploads_unfinished ON uploads (space, actor, kind, size) WHERE result IS NULL;
CREATE INDEX uploads_by_actor ON uploads (actor) WHERE result IS NULL;
DROP INDEX uploads_by_owner;
