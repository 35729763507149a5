-- Saves an answer in one function: one round trip, and a plan that each connection makes once. As five statements, it
-- took a web worker three times as long and PostgreSQL twice as long, mostly for planning.
CREATE OR REPLACE FUNCTION annotation_record_answer(
    p_assignment bigint, p_item uuid, p_criterion bigint, p_option bigint, p_choices bigint[], p_turns integer[],
    p_explanations bigint[], p_free_text text, p_client_key uuid, p_active_ms integer, p_answered_at timestamptz,
    p_now timestamptz, p_unit text, p_reading_seconds integer,
    OUT refusal text, OUT revision integer, OUT is_repeat boolean, OUT is_counted boolean,
    OUT batch_id bigint, OUT item_id bigint, OUT is_nudge_due boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_work record;
    v_item record;
    v_rating record;
BEGIN
    -- Whoever takes the seat away also writes the assignment, so the one lock orders both.
    SELECT assignment.status, assignment.batch_id, seat.lease_expires_at > p_now AS is_held, study.status AS study_status
    INTO STRICT v_work
    FROM annotation_assignment assignment
    JOIN annotation_batch batch ON batch.id = assignment.batch_id
    JOIN annotation_study study ON study.id = batch.study_id
    LEFT JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    WHERE assignment.id = p_assignment FOR UPDATE OF assignment;

    IF v_work.status IN ('submitted', 'excluded') OR v_work.study_status = 'closed' THEN
        refusal := CASE WHEN v_work.status IN ('submitted', 'excluded') THEN v_work.status ELSE 'closed' END;
        RETURN;
    END IF;
    SELECT item.id, item.position, CASE WHEN item.unit = 'comparison' THEN (
        SELECT item.id = ANY(seen.swapped) FROM annotation_assignment seen WHERE seen.id = p_assignment
    ) END AS is_swapped
    INTO v_item FROM annotation_item item
    WHERE item.token = p_item AND item.batch_id = v_work.batch_id AND item.unit = p_unit;
    IF NOT FOUND THEN
        refusal := 'unknown_item';
        RETURN;
    END IF;
    IF p_reading_seconds > 0 AND NOT EXISTS (
        SELECT FROM annotation_reading reading
        WHERE reading.assignment_id = p_assignment AND reading.position = v_item.position
            AND reading.opened_at <= p_now - make_interval(secs => p_reading_seconds)
    ) THEN
        refusal := 'too_soon';
        RETURN;
    END IF;
    batch_id := v_work.batch_id;
    item_id := v_item.id;
    is_counted := v_work.status = 'active' AND coalesce(v_work.is_held, false);
    is_repeat := false;
    is_nudge_due := false;

    INSERT INTO annotation_rating AS rating (assignment_id, item_id, criterion_id, batch_id, option_id, choices, turns,
        explanations, free_text, revision, active_ms, answered_at, created_at, updated_at, is_active, is_swapped)
    VALUES (p_assignment, v_item.id, p_criterion, v_work.batch_id, p_option, p_choices, p_turns,
        p_explanations, p_free_text, 1, p_active_ms, p_answered_at, p_now, p_now, true, v_item.is_swapped)
    ON CONFLICT (assignment_id, item_id, criterion_id) DO NOTHING
    RETURNING rating.id, rating.revision INTO v_rating;

    IF NOT FOUND THEN
        -- Nobody else writes a rating of this assignment now.
        SELECT rating.id, rating.answered_at, least(rating.active_ms::bigint + p_active_ms, 2147483647) AS active_ms, (
            SELECT known.number FROM annotation_ratingrevision known
            WHERE known.rating_id = rating.id AND known.client_key = p_client_key
        ) AS known_as
        INTO STRICT v_rating
        FROM annotation_rating rating
        WHERE rating.assignment_id = p_assignment AND rating.item_id = v_item.id AND rating.criterion_id = p_criterion;
        IF v_rating.known_as IS NOT NULL THEN
            revision := v_rating.known_as;
            is_repeat := true;
            RETURN;
        END IF;
        IF p_answered_at >= v_rating.answered_at THEN
            UPDATE annotation_rating rating SET option_id = p_option, choices = p_choices, turns = p_turns,
                explanations = p_explanations, free_text = p_free_text, active_ms = v_rating.active_ms,
                answered_at = p_answered_at, revision = rating.revision + 1, updated_at = p_now
            WHERE rating.id = v_rating.id RETURNING rating.id, rating.revision INTO v_rating;
        ELSE
            -- An answer held offline that comes late is history, not the current one.
            UPDATE annotation_rating rating SET active_ms = v_rating.active_ms, revision = rating.revision + 1,
                updated_at = p_now
            WHERE rating.id = v_rating.id RETURNING rating.id, rating.revision INTO v_rating;
        END IF;
    END IF;

    revision := v_rating.revision;
    INSERT INTO annotation_ratingrevision (rating_id, number, option_id, choices, turns, explanations, free_text,
        client_key, active_ms, answered_at, received_at)
    VALUES (v_rating.id, v_rating.revision, p_option, p_choices, p_turns, p_explanations, p_free_text,
        p_client_key, p_active_ms, p_answered_at, p_now);
    is_nudge_due := annotation_raise_version(v_work.batch_id);
END $$;
