-- Applies what `pippin export` writes to a table of records: whole records, deletions, and popularities that come alone.
--
--   pippin export --cursor-file index.cursor > changes.ndjson
--   CHANGES=changes.ndjson duckdb records.duckdb -f apply.sql
CREATE TABLE IF NOT EXISTS records (uniqueIdentifier VARCHAR PRIMARY KEY, record JSON NOT NULL, popularity DOUBLE);

BEGIN;
-- Lines in their order; the line with the cursor has no identifier.
CREATE OR REPLACE TEMP TABLE change AS
    SELECT row_number() OVER () AS line, json AS record, json->>'uniqueIdentifier' AS identifier,
        CAST(json->>'popularity' AS DOUBLE) AS popularity,
        json_exists(json, '$.deleted') AS isDeletion,
        json_exists(json, '$.popularity') AND NOT json_exists(json, '$.schemaVersion') AS isPopularityAlone
    FROM read_ndjson_objects(getenv('CHANGES'))
    WHERE json_exists(json, '$.uniqueIdentifier');
-- Of several lines of one record the last counts.
CREATE OR REPLACE TEMP TABLE newest AS
    SELECT identifier, max(line) AS line FROM change WHERE NOT isPopularityAlone GROUP BY identifier;
DELETE FROM records WHERE uniqueIdentifier IN (SELECT identifier FROM newest);
INSERT INTO records
    SELECT identifier, record, popularity FROM change JOIN newest USING (identifier, line) WHERE NOT isDeletion;
UPDATE records SET popularity = later.popularity
    FROM (SELECT identifier, arg_max(change.popularity, change.line) AS popularity
          FROM change LEFT JOIN newest USING (identifier)
          WHERE isPopularityAlone AND (newest.line IS NULL OR change.line > newest.line)
          GROUP BY identifier) AS later
    WHERE uniqueIdentifier = later.identifier;
COMMIT;

-- The fields that most searches need; others are in the record: record->>'$.offers[0].price'.
CREATE OR REPLACE VIEW pages AS
    SELECT uniqueIdentifier, record->>'url' AS url, record->>'title' AS title, record->>'snippet' AS snippet,
        popularity, CAST(record->'deepLinks' AS JSON[]) AS deepLinks
    FROM records;
