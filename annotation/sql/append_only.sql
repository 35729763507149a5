-- Refuses changes to the log: a log that can be rewritten proves nothing. TRUNCATE stays possible.
CREATE OR REPLACE FUNCTION annotation_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The log of activities is append-only: line % cannot be changed or deleted.', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
