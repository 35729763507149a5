CREATE OR REPLACE FUNCTION protocols_guard_protocol() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.slug, NEW.name) IS DISTINCT FROM (OLD.slug, OLD.name) AND EXISTS (
        SELECT FROM protocols_protocolversion v WHERE v.protocol_id = OLD.id AND v.status <> 'draft'
    ) THEN
        RAISE EXCEPTION 'Protocol % has a published version, which is frozen with the name it has.', OLD.slug
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
