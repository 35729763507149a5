"""A published version is frozen in the database itself, so that no script, shell or admin page can change it.

Every change of a part takes a share lock on its version's row, and publishing takes the row for itself: a part
is either in before the hash is computed, or it is refused. TRUNCATE is not caught: tests empty tables with it.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION protocols_guard_version() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION protocols_require_draft(version_id bigint, part text) RETURNS void LANGUAGE plpgsql AS $$
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

-- The argument of the trigger is the column that names the parent. A part never moves to another parent.
CREATE FUNCTION protocols_guard_part() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Slug and name of the protocol are in the hash of every version.
CREATE FUNCTION protocols_guard_protocol() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.slug, NEW.name) IS DISTINCT FROM (OLD.slug, OLD.name) AND EXISTS (
        SELECT FROM protocols_protocolversion v WHERE v.protocol_id = OLD.id AND v.status <> 'draft'
    ) THEN
        RAISE EXCEPTION 'Protocol % has a published version, which is frozen with the name it has.', OLD.slug
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER protocols_frozen BEFORE UPDATE ON protocols_protocol
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_protocol();
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_protocolversion
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_version();
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_criterion
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('version_id');
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_option
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('criterion_id');
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_example
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('criterion_id');
CREATE TRIGGER protocols_frozen BEFORE INSERT OR UPDATE OR DELETE ON protocols_explanation
    FOR EACH ROW EXECUTE FUNCTION protocols_guard_part('option_id');
"""

BACKWARD = """
DROP TRIGGER protocols_frozen ON protocols_explanation;
DROP TRIGGER protocols_frozen ON protocols_example;
DROP TRIGGER protocols_frozen ON protocols_option;
DROP TRIGGER protocols_frozen ON protocols_criterion;
DROP TRIGGER protocols_frozen ON protocols_protocolversion;
DROP TRIGGER protocols_frozen ON protocols_protocol;
DROP FUNCTION protocols_guard_protocol();
DROP FUNCTION protocols_guard_part();
DROP FUNCTION protocols_require_draft(bigint, text);
DROP FUNCTION protocols_guard_version();
"""


class Migration(migrations.Migration):
    dependencies = [("protocols", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
