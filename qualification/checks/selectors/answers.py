"""Count answers to items with a known answer, and answers that can be compared with those of others."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection

from annotation.agreement_cells import alike, n_counted, on_scale
from annotation.models import AgreementSnapshot, AnnotatorCell, Study
from annotation.selectors.cells import in_study_orders
from measures.contributions import Contribution, Contributions, majority_tables, total_of
from measures.contributors import MajorityAgreement, kappa_with_majority
from protocols.specs import CriterionSpec, spec_of
from qualification.models import KnownAnswer

RESAMPLES = 1000
KNOWN = """
    SELECT assignment.participant_id, known.kind, rating.item_id, count(*),
        count(*) FILTER (WHERE rating.option_id = ANY(known.options))
    FROM annotation_assignment assignment
    JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    JOIN annotation_batch batch ON batch.id = assignment.batch_id AND batch.kind = 'main'
    JOIN annotation_item item ON item.batch_id = batch.id AND item.is_check
    JOIN annotation_rating rating ON rating.assignment_id = assignment.id AND rating.item_id = item.id
        AND rating.is_active
    JOIN qualification_knownanswer known ON known.dialogue_id = item.dialogue_id AND known.unit = item.unit
        AND known.candidate_id IS NOT DISTINCT FROM item.candidate_id
        AND known.source_id IS NOT DISTINCT FROM item.source_id
        AND known.criterion_id = rating.criterion_id AND known.is_active AND known.kind = ANY(%s)
    WHERE assignment.participant_id = ANY(%s)
    GROUP BY 1, 2, 3
"""


@dataclass(slots=True)
class KnownTally:
    """Count somebody's items with known answers of one kind. An item is missed if any answer to it is wrong."""

    n_items: int = 0
    n_missed: int = 0
    n_answers: int = 0
    n_right: int = 0


def known_tallies(participants: Collection[int]) -> dict[tuple[int, str], KnownTally]:
    """Return tallies by (participant, kind) of main work that counts, in one query."""
    found: dict[tuple[int, str], KnownTally] = defaultdict(KnownTally)
    kinds = [str(KnownAnswer.Kind.GOLD), str(KnownAnswer.Kind.ATTENTION)]
    with connection.cursor() as cursor:
        cursor.execute(KNOWN, [kinds, list(participants)])
        for participant, kind, _item, n, n_right in cursor.fetchall():
            tally = found[participant, kind]
            tally.n_items += 1
            tally.n_missed += n_right < n
            tally.n_answers += n
            tally.n_right += n_right
    return found


def compared_criteria(study: Study) -> tuple[CriterionSpec, ...]:
    """Return the criteria that the board pools when it shows all criteria, in the orders of their agreement."""
    groups = alike(spec_of(study.protocol_version).voted)
    return in_study_orders(study.pk, groups[0]) if groups else ()


def contributions_in(study: Study, criteria: tuple[CriterionSpec, ...], participants: Iterable[int]) -> Contributions:
    """Return the stored sums of these annotators over the criteria."""
    parts: dict[int, Contributions] = {criterion.id: {} for criterion in criteria}
    total = AgreementSnapshot.objects.filter(study=study, batch=None).values("pk")
    rows = AnnotatorCell.objects.filter(snapshot__in=total, criterion__in=parts, participant__in=list(participants))
    for criterion, participant, stored in rows.values_list("criterion", "participant", "contribution"):
        parts[criterion][participant] = Contribution.from_json(stored)
    return total_of(parts.values())


def kappa_of(
    participant: int, contribution: Contribution, criteria: tuple[CriterionSpec, ...], seed: int
) -> MajorityAgreement:
    """Return kappa with the majority of the others, with its interval, as the board shows it."""
    tables = majority_tables({participant: contribution}, n_counted(criteria[0]))
    return kappa_with_majority(tables, seed=seed, n_resamples=RESAMPLES, mirror=on_scale(criteria[0]).mirror)[0]
