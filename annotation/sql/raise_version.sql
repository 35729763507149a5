-- Counts one change of the data behind a batch's results. Returns whether a worker should measure it now: not if an
-- earlier change has asked for that already, nor if the results are less than a second old.
CREATE OR REPLACE FUNCTION annotation_raise_version(p_batch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_version bigint;
BEGIN
    UPDATE annotation_batch SET ratings_version = ratings_version + 1 WHERE id = p_batch
        RETURNING ratings_version INTO v_version;
    RETURN NOT EXISTS (
        SELECT FROM annotation_agreementsnapshot snapshot
        WHERE snapshot.batch_id = p_batch AND (
            snapshot.version < v_version - 1 OR snapshot.computed_at > statement_timestamp() - interval '1 second'
        )
    );
END $$;
