-- A dialogue that names no conversation is one of its own.
CREATE OR REPLACE FUNCTION annotation_own_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.conversation = '' THEN
        NEW.conversation := NEW.key;
    END IF;
    RETURN NEW;
END $$;
