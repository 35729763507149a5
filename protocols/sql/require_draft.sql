CREATE OR REPLACE FUNCTION protocols_require_draft(version_id bigint, part text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    owner protocols_protocolversion%ROWTYPE;
BEGIN
    SELECT * INTO owner FROM protocols_protocolversion WHERE id = version_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'This row of % belongs to no version.', part USING ERRCODE = 'foreign_key_violation';
    ELSIF owner.status <> 'draft' THEN
        RAISE EXCEPTION 'Version % is %: a published version is frozen, and % is part of it. Make a new version instead.',
            owner.version, owner.status, part USING ERRCODE = 'restrict_violation';
    END IF;
END $$;
