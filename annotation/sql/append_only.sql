-- A log that can be rewritten shows nothing. Emptying a whole database (TRUNCATE) stays possible.
CREATE OR REPLACE FUNCTION annotation_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The log of activities is append-only: line % cannot be changed or deleted.', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
