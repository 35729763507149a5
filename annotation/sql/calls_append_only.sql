-- What a model was asked and what it said is evidence: it is added to, never rewritten.
CREATE OR REPLACE FUNCTION annotation_calls_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The calls of a judge are append-only: call % cannot be changed or deleted.', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
