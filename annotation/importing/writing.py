"""Store imported answers: a new one becomes a rating and its first revision; a known one must be the same."""

from datetime import datetime

from django.utils.translation import gettext as _

from annotation.importing.copying import execute, fetch
from annotation.importing.outcome import MOST_ERRORS, ErrorLog, LineError, named_place
from annotation.models import Study

SAME = "x.assignment_id = v.assignment_id AND x.item_id = v.item_id AND x.criterion_id = v.criterion_id"


def stage_votes(study: Study) -> None:
    """Join rows, units and assignments into votes. In a returned batch, the assignment of the last round counts."""
    execute(
        """CREATE TEMP TABLE import_vote ON COMMIT DROP AS
           SELECT r.line, a.id AS assignment_id, u.item_id, u.batch_id, r.criterion_id, r.option_id,
                  r.explanations, r.free_text, r.answered_at, r.client_key, r.choices, r.turns, r.active_ms,
                  turned.is_turned, r.is_swapped <> turned.is_turned AS is_swapped
           FROM import_row r
           JOIN import_unit u USING (dialogue, item, source, batch, unit)
           JOIN annotation_item i ON i.id = u.item_id
           CROSS JOIN LATERAL (SELECT CASE
               WHEN u.other_dialogue_id IS NULL THEN u.shown <> '{}' AND u.shown <> i.shown
               ELSE u.dialogue_id <> i.dialogue_id END AS is_turned) turned
           JOIN annotation_participant p ON p.study_id = %s AND p.pseudonym = r.annotator
           JOIN annotation_assignment a ON a.batch_id = u.batch_id AND a.participant_id = p.id
           WHERE NOT EXISTS (
               SELECT FROM annotation_assignment later WHERE later.batch_id = a.batch_id
                   AND later.participant_id = a.participant_id AND later.round > a.round)""",
        [study.pk],
    )
    execute("ANALYZE import_vote")


def leave_out_copies() -> int:
    """Leave out answers about whole dialogues that stand beside several responses. Return how many."""
    same = "(v.option_id, v.explanations, v.free_text, v.choices, v.turns)"
    return execute(
        f"""DELETE FROM import_vote v USING annotation_item i
            WHERE i.id = v.item_id AND i.unit = 'dialogue' AND EXISTS (
                SELECT FROM import_vote x WHERE {SAME} AND x.line < v.line
                    AND {same.replace("v.", "x.")} IS NOT DISTINCT FROM {same})"""
    )


def refuse_repeated(log: ErrorLog) -> None:
    rows = fetch(
        """SELECT line, first, count(*) OVER ()
           FROM (SELECT line, min(line) OVER (PARTITION BY assignment_id, item_id, criterion_id) AS first
                 FROM import_vote) v
           WHERE line <> first ORDER BY line LIMIT %s""",
        [MOST_ERRORS],
    )
    repeats = _("repeats %(place)s: same annotator, item and criterion")
    errors = [LineError(line, "", repeats % {"place": named_place(first)}) for line, first, _total in rows]
    log.add_all(errors, rows[0][-1] if rows else 0)


def refuse_changed(log: ErrorLog) -> None:
    rows = fetch(
        f"""SELECT v.line, x.option_id IS DISTINCT FROM v.option_id, o.label, count(*) OVER ()
            FROM import_vote v JOIN annotation_rating x ON {SAME} LEFT JOIN protocols_option o ON o.id = x.option_id
            WHERE x.option_id IS DISTINCT FROM v.option_id OR x.explanations <> v.explanations
                OR x.free_text <> v.free_text OR x.choices <> v.choices OR x.turns <> v.turns
            ORDER BY v.line LIMIT %s""",
        [MOST_ERRORS],
    )
    errors = []
    for line, is_other_option, label, _total in rows:
        if is_other_option and label:
            text = _("the study already has the answer %(label)r by this annotator for this item and criterion")
        else:
            text = _(
                "the study already has another explanation or free text by this annotator for this item and criterion"
            )
        errors.append(LineError(line, "value", text % {"label": label}))
    log.add_all(errors, rows[0][-1] if rows else 0)


def refuse_added(log: ErrorLog) -> int:
    """Log answers that the file adds to those of people who rate in the study. Return how many of theirs it has."""
    own = """import_vote v JOIN annotation_assignment a ON a.id = v.assignment_id
        JOIN annotation_participant p ON p.id = a.participant_id AND NOT p.is_imported"""
    rows = fetch(
        f"""SELECT v.line, p.pseudonym, count(*) OVER () FROM {own}
            WHERE NOT EXISTS (SELECT FROM annotation_rating x WHERE {SAME}) ORDER BY v.line LIMIT %s""",
        [MOST_ERRORS],
    )
    text = _("%(name)r rates in this study and has not given this answer: leave it out, or rename the annotator")
    errors = [LineError(line, "annotator", text % {"name": name}) for line, name, _total in rows]
    log.add_all(errors, rows[0][-1] if rows else 0)
    return int(fetch(f"SELECT count(*) FROM {own}")[0][0])


def rated_work() -> list[int]:
    """Return the ids of the assignments that the file has answers of."""
    return [work for (work,) in fetch("SELECT DISTINCT assignment_id FROM import_vote")]


def write_votes(now: datetime) -> tuple[int, list[int]]:
    """Store the votes that are not there yet. Return how many, and the ids of their batches."""
    execute(f"DELETE FROM import_vote v USING annotation_rating x WHERE {SAME}")
    touched = [batch_id for (batch_id,) in fetch("SELECT DISTINCT batch_id FROM import_vote ORDER BY batch_id")]
    n_new = execute(
        """WITH new AS (
               INSERT INTO annotation_rating
                   (assignment_id, item_id, criterion_id, batch_id, option_id, choices, turns, explanations, free_text,
                    is_swapped, revision, active_ms, answered_at, created_at, updated_at)
               SELECT assignment_id, item_id, criterion_id, batch_id, option_id, choices, turns, explanations,
                      free_text, is_swapped, 1, active_ms, coalesce(answered_at, %s), %s, %s
               FROM import_vote ORDER BY line
               RETURNING id, assignment_id, item_id, criterion_id, answered_at),
           made AS (INSERT INTO import_made SELECT 'rating', id FROM new)
           INSERT INTO annotation_ratingrevision
               (rating_id, number, option_id, choices, turns, explanations, free_text, client_key, active_ms,
                answered_at, received_at)
           SELECT new.id, 1, v.option_id, v.choices, v.turns, v.explanations, v.free_text, v.client_key, v.active_ms,
                  new.answered_at, %s
           FROM new JOIN import_vote v USING (assignment_id, item_id, criterion_id)""",
        [now, now, now, now],
    )
    _remember_sides()
    return n_new, touched


def _remember_sides() -> None:
    """Store with the work of each annotator which pairs they saw with the second side on the left."""
    execute(
        """UPDATE annotation_assignment work SET swapped = ARRAY(
               SELECT DISTINCT item FROM unnest(work.swapped || seen.items) AS item ORDER BY item)
           FROM (SELECT assignment_id, array_agg(DISTINCT item_id) AS items FROM import_vote WHERE is_swapped
                 GROUP BY assignment_id) seen
           WHERE work.id = seen.assignment_id"""
    )
