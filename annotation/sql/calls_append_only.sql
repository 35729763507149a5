-- Refuses changes to the calls of judges: prompts and replies are evidence, so rows are only added.
CREATE OR REPLACE FUNCTION annotation_calls_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The calls of a judge are append-only: call % cannot be changed or deleted.', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
