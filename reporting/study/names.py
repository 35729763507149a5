"""The keys and names that a file uses instead of the database's ids."""

import json
from dataclasses import dataclass

from django.db import connection

from annotation.models import Participant, Study
from annotation.selectors.comparisons import SIDES
from protocols.specs import VersionSpec
from reporting.study.votes import Items

PARTS_OF_ITEM = """LEFT JOIN annotation_dialogue dialogue ON dialogue.id = item.dialogue_id
    LEFT JOIN annotation_source source ON source.id = item.source_id
    LEFT JOIN annotation_candidate candidate ON candidate.id = item.candidate_id"""
# Of a comparison: the keys of its two sides, or of their sources, in the order its answers are stored in.
PAIR = f"""CASE WHEN item.unit = 'comparison' THEN (
            SELECT string_agg({{}}, '|' ORDER BY side.at) FROM {SIDES} side
            JOIN annotation_source of ON of.id = side.source_id) END"""
ITEMS = f"""
    SELECT item.id, batch.key, coalesce(dialogue.key, ''), coalesce(candidate.key, {PAIR.format("side.key")}, ''),
        coalesce(source.key, {PAIR.format("of.key")}, '')
    FROM annotation_item item
    JOIN annotation_batch batch ON batch.id = item.batch_id
    {PARTS_OF_ITEM}
    WHERE batch.study_id = %s
"""


@dataclass(frozen=True, slots=True)
class Names:
    """Names by id. `items` has the beginning of a JSON line for each item, in the order of the items."""

    items: list[str]
    criteria: dict[int, str]
    annotators: dict[int, str]

    def item(self, place: int) -> tuple[str, str, str, str]:
        """Return the keys of the batch, dialogue, candidate and source of an item, empty if it has none."""
        batch, dialogue, candidate, source = json.loads(self.items[place][:-1] + "]")
        return batch, dialogue, candidate, source


def annotators_of(study: Study) -> dict[int, str]:
    """Return {participant id: pseudonym}."""
    return dict(Participant.objects.filter(study=study).values_list("pk", "pseudonym"))


def names_of(study: Study, spec: VersionSpec, items: Items, annotators: dict[int, str]) -> Names:
    with connection.cursor() as cursor:
        cursor.execute(ITEMS, [study.pk])
        found = {row[0]: row[1:] for row in cursor.fetchall()}
    # Each text as JSON, in one call: JSON escapes line breaks within a text.
    keys_of_items = [text for key in items.id.tolist() for text in found[key]]
    written = json.dumps(keys_of_items, ensure_ascii=False, separators=("\n", ":"))
    texts = iter(written[1:-1].split("\n") if keys_of_items else [])
    beginnings = [f"[{','.join(keys)}," for keys in zip(texts, texts, texts, texts, strict=True)]
    return Names(beginnings, {criterion.id: criterion.key for criterion in spec.criteria}, annotators)
