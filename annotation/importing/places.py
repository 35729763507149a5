"""Place imported ratings in the batch that holds the item, otherwise in the one the file or the dialogue names."""

from django.utils.translation import gettext

from annotation.importing.copying import execute, fetch
from annotation.importing.made import insert_made, note_made
from annotation.importing.outcome import ErrorLog
from annotation.importing.units import refuse_units
from annotation.models import Batch, Study

DEFAULT_BATCH = "imported"


def place_units(study: Study, log: ErrorLog) -> dict[str, int]:
    """Fill batch_id and item_id of every unit, making missing batches and items. Return counts by name.

    Units that have no place are logged and left out.
    """
    _find_items(study)
    _place_repetitions()
    n_batches = _find_batches(study)
    is_lacking = """item_id IS NULL AND batch_id IN (
        SELECT b.id FROM annotation_batch b WHERE b.status = 'open' OR EXISTS (
            SELECT FROM annotation_assignment a WHERE a.batch_id = b.id AND NOT a.is_imported))"""
    again = gettext(
        "the batch is being rated and does not show this pair again: leave out the rows whose “is_repetition” is true"
    )
    refuse_units(log, f"is_again AND {is_lacking}", "batch", again)
    text = gettext("the batch is being rated and does not contain this item: name another batch in the file")
    refuse_units(log, is_lacking, "batch", text)
    nowhere = gettext("no batch contains this item: make the batches first")
    unplaced = """item_id IS NULL AND unit IN ('candidate_set', 'model', 'comparison') AND shown = '{}'
        AND other_dialogue_id IS NULL"""
    refuse_units(log, unplaced, "item", nowhere)
    n_items = _create_items(study)
    _find_items(study)
    refuse_units(log, "item_id IS NULL", "item", nowhere)
    return {"batches_new": n_batches, "items_new": n_items}


def has_moved() -> bool:
    """Return whether a unit went to the batch that holds its item although the file names another."""
    return bool(
        fetch(
            """SELECT 1 FROM import_unit u JOIN annotation_batch b ON b.id = u.batch_id
               WHERE u.batch <> '' AND u.batch <> b.key LIMIT 1"""
        )
    )


def _find_items(study: Study) -> None:
    """Find the items of units. Of several batches, the one that the file names wins, then the first main batch."""
    execute(
        """UPDATE import_unit SET item_id = best.item_id, batch_id = best.batch_id
           FROM (SELECT DISTINCT ON (u.id) u.id, i.id AS item_id, i.batch_id
                 FROM import_unit u JOIN annotation_item i ON i.dialogue_id = u.dialogue_id
                 JOIN annotation_batch b ON b.id = i.batch_id
                 WHERE u.item_id IS NULL AND i.candidate_id IS NOT DISTINCT FROM u.candidate_id
                   AND i.unit = u.unit AND (u.unit IN ('response', 'dialogue') OR u.shown <> '{}')
                   AND i.shown IN (u.shown, u.shown[2:2] || u.shown[1:1]) AND (i.repeats_id IS NOT NULL) = u.is_again
                   AND u.other_dialogue_id IS NULL AND i.other_dialogue_id IS NULL
                   AND (u.batch_id IS NULL OR i.batch_id = u.batch_id)
                 ORDER BY u.id, b.key = u.batch DESC, b.kind = 'main' DESC, b.position) best
           WHERE import_unit.id = best.id"""
    )
    execute(
        """UPDATE import_unit SET item_id = best.item_id, batch_id = best.batch_id
           FROM (SELECT DISTINCT ON (u.id) u.id, i.id AS item_id, i.batch_id
                 FROM import_unit u JOIN annotation_item i ON i.dialogue_id IN (u.dialogue_id, u.other_dialogue_id)
                     AND i.other_dialogue_id IN (u.dialogue_id, u.other_dialogue_id)
                 JOIN annotation_batch b ON b.id = i.batch_id
                 WHERE u.item_id IS NULL AND (i.repeats_id IS NOT NULL) = u.is_again
                   AND (u.batch_id IS NULL OR i.batch_id = u.batch_id)
                 ORDER BY u.id, b.key = u.batch DESC, b.kind = 'main' DESC, b.position) best
           WHERE import_unit.id = best.id"""
    )
    execute(
        """UPDATE import_unit u SET item_id = i.id, batch_id = i.batch_id
           FROM annotation_item i JOIN annotation_batch b ON b.id = i.batch_id
           WHERE u.item_id IS NULL AND u.unit IN ('candidate_set', 'model') AND b.study_id = %s AND b.key = u.batch
               AND i.unit = u.unit AND i.source_id = u.source_id
               AND coalesce(i.dialogue_id, 0) = coalesce(u.dialogue_id, 0)""",
        [study.pk],
    )


def _place_repetitions() -> None:
    """Place pairs that are shown again where the file's answers to the same pair go: they are compared with these."""
    execute(
        """UPDATE import_unit u SET batch_id = first.batch_id FROM import_unit first
           WHERE u.is_again AND u.item_id IS NULL AND NOT first.is_again AND first.item_id IS NOT NULL
               AND first.batch = u.batch AND first.unit = u.unit AND first.dialogue_id = u.dialogue_id
               AND first.shown = u.shown AND first.other_dialogue_id IS NOT DISTINCT FROM u.other_dialogue_id"""
    )


def _find_batches(study: Study) -> int:
    """Set the batch of every unit that has no item yet, making missing batches. Return how many were made."""
    rows = fetch(
        """SELECT u.id, coalesce(nullif(u.batch, ''), nullif(d.batch_key, ''), %s)
           FROM import_unit u JOIN annotation_dialogue d ON d.id = u.dialogue_id
           WHERE u.item_id IS NULL AND u.batch_id IS NULL ORDER BY u.line""",
        [DEFAULT_BATCH],
    )
    batches = dict(study.batches.values_list("key", "pk"))
    new = [key for key in dict.fromkeys(key for _, key in rows) if key not in batches]
    last = study.batches.order_by("-position").values_list("position", flat=True).first() or 0
    made = Batch.objects.bulk_create(  # closed, because the work in them is finished
        Batch(study=study, key=key, status=Batch.Status.CLOSED, position=last + at)
        for at, key in enumerate(new, start=1)
    )
    batches |= {batch.key: batch.pk for batch in made}
    execute(
        """UPDATE import_unit SET batch_id = named.batch_id
           FROM unnest(%s::bigint[], %s::bigint[]) AS named (id, batch_id) WHERE import_unit.id = named.id""",
        [[unit for unit, _ in rows], [batches[key] for _, key in rows]],
    )
    return note_made(made)


def _create_items(study: Study) -> int:
    """Create items of placed units. Return how many.

    A dialogue gets one for each of its candidates if responses are rated, and one if it is rated as a whole, at the
    same place. A pair gets one.
    """
    n_items = insert_made(
        "item",
        """WITH given AS (
               SELECT DISTINCT batch_id, dialogue_id, unit FROM import_unit
               WHERE item_id IS NULL AND shown = '{}' AND other_dialogue_id IS NULL),
           filled AS (
               SELECT batch_id, max(position) AS last FROM annotation_item
               WHERE batch_id IN (SELECT batch_id FROM given) GROUP BY batch_id),
           known AS (
               SELECT batch_id, dialogue_id, min(position) AS position FROM annotation_item
               WHERE batch_id IN (SELECT batch_id FROM given) GROUP BY batch_id, dialogue_id),
           placed AS (
               SELECT g.*, coalesce(k.position, coalesce(f.last, 0) + dense_rank() OVER (
                      PARTITION BY g.batch_id, k.position IS NULL ORDER BY d.position, d.id)) AS position
               FROM given g JOIN annotation_dialogue d ON d.id = g.dialogue_id
               LEFT JOIN filled f USING (batch_id) LEFT JOIN known k USING (batch_id, dialogue_id))
           INSERT INTO annotation_item (batch_id, unit, dialogue_id, candidate_id, source_id, token, position)
           SELECT p.batch_id, p.unit, p.dialogue_id, c.id,
               CASE WHEN c.id IS NULL THEN d.source_id ELSE c.source_id END, gen_random_uuid(), p.position
           FROM placed p JOIN annotation_dialogue d ON d.id = p.dialogue_id
           LEFT JOIN annotation_candidate c ON c.dialogue_id = p.dialogue_id AND p.unit = 'response'
           WHERE p.unit = 'dialogue' OR c.id IS NOT NULL
           ON CONFLICT DO NOTHING""",
    )
    n_items += insert_made(
        "item",
        """WITH given AS (
               SELECT DISTINCT u.batch_id, u.dialogue_id, d.position, CASE
                   WHEN (first.position, first.id) < (second.position, second.id) THEN u.shown
                   ELSE u.shown[2:2] || u.shown[1:1] END AS shown
               FROM import_unit u JOIN annotation_dialogue d ON d.id = u.dialogue_id
               JOIN annotation_candidate one ON one.id = u.shown[1]
               JOIN annotation_source first ON first.id = one.source_id
               JOIN annotation_candidate other ON other.id = u.shown[2]
               JOIN annotation_source second ON second.id = other.source_id
               WHERE u.item_id IS NULL AND u.shown <> '{}'),
           filled AS (
               SELECT batch_id, max(position) AS last FROM annotation_item
               WHERE batch_id IN (SELECT batch_id FROM given) GROUP BY batch_id)
           INSERT INTO annotation_item (batch_id, unit, dialogue_id, shown, token, position)
           SELECT g.batch_id, 'comparison', g.dialogue_id, g.shown, gen_random_uuid(),
               coalesce(f.last, 0) + dense_rank() OVER (PARTITION BY g.batch_id ORDER BY g.position, g.dialogue_id)
           FROM given g LEFT JOIN filled f USING (batch_id) ON CONFLICT DO NOTHING""",
    )
    n_items += _create_pairs_of_dialogues() + _create_repetitions()
    execute(
        """UPDATE annotation_batch b SET n_items = (
               SELECT count(*) FROM annotation_item i WHERE i.batch_id = b.id AND NOT i.is_check)
           WHERE b.study_id = %s AND b.id IN (SELECT batch_id FROM import_unit WHERE item_id IS NULL)""",
        [study.pk],
    )
    return n_items


def _create_pairs_of_dialogues() -> int:
    """Create the items of whole dialogues that are compared, each at a place of its own. Return how many."""
    return insert_made(
        "item",
        """WITH given AS (
               SELECT DISTINCT u.batch_id, CASE
                   WHEN (first.position, first.id) < (second.position, second.id)
                   THEN ARRAY[d.id, other.id] ELSE ARRAY[other.id, d.id] END AS pair
               FROM import_unit u JOIN annotation_dialogue d ON d.id = u.dialogue_id
               JOIN annotation_dialogue other ON other.id = u.other_dialogue_id
               JOIN annotation_source first ON first.id = d.source_id
               JOIN annotation_source second ON second.id = other.source_id
               WHERE u.item_id IS NULL),
           filled AS (
               SELECT batch_id, max(position) AS last FROM annotation_item
               WHERE batch_id IN (SELECT batch_id FROM given) GROUP BY batch_id)
           INSERT INTO annotation_item (batch_id, unit, dialogue_id, other_dialogue_id, shown, token, position)
           SELECT g.batch_id, 'comparison', g.pair[1], g.pair[2], '{}', gen_random_uuid(),
               coalesce(f.last, 0) + row_number() OVER (
                   PARTITION BY g.batch_id ORDER BY one.position, other.position, g.pair)
           FROM given g JOIN annotation_dialogue one ON one.id = g.pair[1]
           JOIN annotation_dialogue other ON other.id = g.pair[2] LEFT JOIN filled f USING (batch_id)
           ON CONFLICT DO NOTHING""",
    )


def _create_repetitions() -> int:
    """Create the items that show pairs of their batch again, at its end and one on a screen. Return how many."""
    return insert_made(
        "item",
        """WITH given AS (
               SELECT DISTINCT i.* FROM import_unit u JOIN annotation_item i ON i.batch_id = u.batch_id
                   AND i.unit = 'comparison' AND i.repeats_id IS NULL AND CASE
                       WHEN u.other_dialogue_id IS NULL
                       THEN i.dialogue_id = u.dialogue_id AND i.shown IN (u.shown, u.shown[2:2] || u.shown[1:1])
                       ELSE u.dialogue_id IN (i.dialogue_id, i.other_dialogue_id)
                           AND u.other_dialogue_id IN (i.dialogue_id, i.other_dialogue_id) END
               WHERE u.is_again AND u.item_id IS NULL),
           filled AS (
               SELECT batch_id, max(position) AS last FROM annotation_item
               WHERE batch_id IN (SELECT batch_id FROM given) GROUP BY batch_id)
           INSERT INTO annotation_item
               (batch_id, unit, dialogue_id, other_dialogue_id, shown, token, repeats_id, is_check, position)
           SELECT g.batch_id, 'comparison', g.dialogue_id, g.other_dialogue_id, g.shown, gen_random_uuid(), g.id, true,
               f.last + row_number() OVER (PARTITION BY g.batch_id ORDER BY g.position, g.id)
           FROM given g JOIN filled f USING (batch_id)""",
    )
