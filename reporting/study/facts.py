"""Facts for a report beside the answers: fields of the dialogues, people, other batches and finished work."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Assignment, Batch, Participant, Rating, Study
from annotation.selectors.team import is_of_team
from measures.arrays import IntArray

FEWEST_VALUES, MOST_VALUES, MOST_FIELDS = 2, 20, 12
# The persona is part of the item, and free text.
NO_FIELDS = ("persona",)
FIELDS = """
    WITH entry AS (
        SELECT dialogue.id, field.key, field.value #>> '{}' AS value
        FROM annotation_dialogue dialogue CROSS JOIN LATERAL jsonb_each(dialogue.metadata) field
        WHERE dialogue.study_id = %s AND jsonb_typeof(dialogue.metadata) = 'object'
            AND jsonb_typeof(field.value) IN ('string', 'number', 'boolean') AND field.key <> ALL(%s)),
    wanted AS (
        SELECT key FROM entry GROUP BY key HAVING count(DISTINCT value) BETWEEN %s AND %s ORDER BY key LIMIT %s)
    SELECT key, value, string_agg(int8send(id), '') FROM entry JOIN wanted USING (key) GROUP BY 1, 2 ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the dialogues with few values: {value: ids of dialogues}."""

    name: str
    dialogues: dict[str, IntArray]


@dataclass(frozen=True, slots=True)
class OtherBatches:
    """The batches of a kind that is left out of the results, with their answers and the items that have one."""

    kind: str
    batches: int
    items: int
    ratings: int


@dataclass(frozen=True, slots=True)
class People:
    """Recruited participants: how many by status, imported, asked for consent, and consenting."""

    by_status: dict[str, int]
    n_imported: int
    n_asked: int
    n_consented: int


def fields_of(study: Study) -> list[Field]:
    found: dict[str, dict[str, IntArray]] = {}
    with connection.cursor() as cursor:
        cursor.execute(FIELDS, [study.pk, list(NO_FIELDS), FEWEST_VALUES, MOST_VALUES, MOST_FIELDS])
        for name, value, ids in cursor.fetchall():
            found.setdefault(name, {})[value] = np.frombuffer(ids, ">i8").astype(np.int64)
    return [Field(name, dialogues) for name, dialogues in found.items()]


def other_batches(study: Study) -> list[OtherBatches]:
    batches = study.batches.exclude(kind=Batch.Kind.MAIN).order_by()
    counted = Rating.objects.filter(
        batch__in=batches,
        is_active=True,
        assignment__seat__isnull=False,
        item__is_check=False,
        criterion__version=study.protocol_version_id,
    )
    rows = counted.order_by().values_list("batch__kind").annotate(items=Count("item", distinct=True), n=Count("pk"))
    given = {kind: (items, n) for kind, items, n in rows}
    sizes = batches.values_list("kind").annotate(n=Count("pk")).order_by("kind")
    return [OtherBatches(kind, n, *given.get(kind, (0, 0))) for kind, n in sizes]


def people_of(study: Study) -> People:
    """Count the recruited people. Those from an archive count as asked for consent only if the archive says so."""
    found = list(recruited(study).values_list("status", "is_imported", "consented_at"))
    n_imported = sum(is_imported for _, is_imported, _ in found)
    return People(
        by_status=dict(sorted(Counter(status for status, _, _ in found).items())),
        n_imported=n_imported,
        n_asked=len(found) - n_imported + study.imported_record.get("people", {}).get("n_asked", 0),
        n_consented=sum(consented_at is not None for _, _, consented_at in found),
    )


def recruited(study: Study) -> QuerySet[Participant]:
    """Return the participants without team members who only serve in the panel, review or teach."""
    apart = study.imported_record.get("people", {}).get("apart", [])
    rated = Assignment.objects.filter(participant=OuterRef("pk"), batch__kind=Batch.Kind.MAIN)
    is_only_team = Q(is_of_team()) & ~Q(Exists(rated))
    people = Participant.objects.filter(study=study).exclude(~Q(panel=""), status=Participant.Status.PENDING)
    people = people.exclude(is_only_team, status=Participant.Status.PENDING)
    return people.exclude(is_imported=True, pseudonym__in=apart) if apart else people


def people_as_archived(study: Study) -> dict[str, list[str] | int]:
    """Return facts on people that an archive needs because accounts and roles are not archived."""
    apart = Participant.objects.filter(study=study).exclude(pk__in=recruited(study))
    return {
        "apart": list(apart.order_by("pk").values_list("pseudonym", flat=True)),
        "n_asked": people_of(study).n_asked,
    }


def finished_work(study: Study) -> dict[str, int]:
    """Return {kind of batch: assignments finished in Parley}: each of them is paid as a batch. Only main ones count."""
    return dict(_finished(study).order_by().values_list("batch__kind").annotate(n=Count("pk")))


def elapsed_seconds(study: Study) -> dict[int, float]:
    """Return {assignment: seconds from claim to submission} for finished main batches, including breaks."""
    rows = _finished(study).values_list("pk", "claimed_at", "submitted_at")
    return {pk: (end - start).total_seconds() for pk, start, end in rows if end}


def _finished(study: Study) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        batch__study=study, batch__kind=Batch.Kind.MAIN, status=Assignment.Status.SUBMITTED, is_imported=False
    )
