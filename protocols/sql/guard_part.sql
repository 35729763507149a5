CREATE OR REPLACE FUNCTION protocols_guard_part() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    column_name text := TG_ARGV[0];
    parent bigint;
    version bigint;
BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) -> column_name <> to_jsonb(OLD) -> column_name THEN
        RAISE EXCEPTION 'A row of % stays where it is.', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        parent := (to_jsonb(NEW) ->> column_name)::bigint;
    ELSE
        parent := (to_jsonb(OLD) ->> column_name)::bigint;
    END IF;
    version := CASE column_name
        WHEN 'version_id' THEN parent
        WHEN 'criterion_id' THEN (SELECT c.version_id FROM protocols_criterion c WHERE c.id = parent)
        ELSE (SELECT c.version_id FROM protocols_option o JOIN protocols_criterion c ON c.id = o.criterion_id
              WHERE o.id = parent)
    END;
    PERFORM protocols_require_draft(version, TG_TABLE_NAME);
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
