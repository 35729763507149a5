CREATE OR REPLACE FUNCTION protocols_guard_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'draft' THEN
            RAISE EXCEPTION 'Version % must begin as a draft: a published version is frozen, parts could not follow.',
                NEW.version USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.status = 'draft' THEN
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        IF NEW.status IN ('draft', 'published') THEN RETURN NEW; END IF;
    ELSIF TG_OP = 'UPDATE' AND OLD.status = 'published' AND NEW.status = 'retired'
            AND to_jsonb(NEW) - 'status' = to_jsonb(OLD) - 'status' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'Version % is %: a published version is frozen. Make a new version instead.',
        OLD.version, OLD.status USING ERRCODE = 'restrict_violation';
END $$;
