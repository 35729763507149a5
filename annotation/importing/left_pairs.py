"""Say which pairs an import of ratings leaves out of the batches that it makes: those that its file does not rate."""

from collections.abc import Iterable

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import ngettext

from annotation.importing.copying import fetch
from annotation.models import Batch, Dialogue

# A dialogue that lists its pairs may leave out others on purpose.
OF_RESPONSES = """
    SELECT btrim(one.text, E' \\t\\r\\n') || one.context::text = btrim(other.text, E' \\t\\r\\n') || other.context::text
    FROM annotation_candidate one
    JOIN annotation_candidate other ON other.dialogue_id = one.dialogue_id AND other.source_id > one.source_id
    JOIN annotation_dialogue d ON d.id = one.dialogue_id AND NOT d.metadata ? %(pairs)s
    WHERE d.id IN (SELECT dialogue_id FROM rated WHERE other_dialogue_id IS NULL)
        AND NOT EXISTS (SELECT FROM rated WHERE rated.shown IN (ARRAY[one.id, other.id], ARRAY[other.id, one.id]))"""
OF_DIALOGUES = """
    SELECT one.turns::text || one.context::text = other.turns::text || other.context::text
    FROM annotation_dialogue one
    JOIN annotation_dialogue other
        ON (other.study_id, other.scenario) = (one.study_id, one.scenario) AND other.source_id > one.source_id
    WHERE (one.study_id, one.scenario) IN (
            SELECT d.study_id, d.scenario FROM rated JOIN annotation_dialogue d ON d.id = rated.dialogue_id
            WHERE rated.other_dialogue_id IS NOT NULL)
        AND NOT (one.metadata ? %(pairs)s OR other.metadata ? %(pairs)s)
        AND NOT EXISTS (SELECT FROM rated WHERE (rated.dialogue_id, rated.other_dialogue_id)
            IN ((one.id, other.id), (other.id, one.id)))"""


def left_pairs(batches: Iterable[Batch]) -> list[str]:
    """Return sentences about the pairs of the dialogues and scenarios in these batches that are not in them."""
    rows = fetch(
        f"""WITH rated AS (SELECT dialogue_id, other_dialogue_id, shown FROM annotation_item
                WHERE unit = 'comparison' AND batch_id = ANY(%(batches)s)),
            rest (is_identical) AS ({OF_RESPONSES} UNION ALL {OF_DIALOGUES})
            SELECT count(*) FILTER (WHERE is_identical), count(*) FILTER (WHERE NOT is_identical) FROM rest""",
        {"batches": [batch.pk for batch in batches], "pairs": Dialogue.PAIRS},
    )
    [(n_identical, n_unrated)] = rows
    identical = ngettext(
        "%(n)s pair of identical texts is not counted as a tie, because the file has no answer to it. To count it, "
        "take this import back, make batches, and import the ratings again.",
        "%(n)s pairs of identical texts are not counted as ties, because the file has no answers to them. To count "
        "them, take this import back, make batches, and import the ratings again.",
        n_identical,
    )
    unrated = ngettext(
        "%(n)s other pair of the same dialogues is not rated in the file and can be put into no batch now. To have it "
        "rated, take this import back, make batches, and import the ratings again.",
        "%(n)s other pairs of the same dialogues are not rated in the file and can be put into no batch now. To have "
        "them rated, take this import back, make batches, and import the ratings again.",
        n_unrated,
    )
    return [text % {"n": intcomma(n)} for n, text in ((n_identical, identical), (n_unrated, unrated)) if n]
