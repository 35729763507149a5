"""Update each annotator's contribution to a study by what has changed in one of its batches."""

from collections.abc import Mapping

from annotation.agreement_cells import CellFigures, CellKey
from annotation.models import AgreementSnapshot, AnnotatorCell
from measures.contributions import Contribution, Contributions, combined

Change = tuple[CellFigures | None, CellFigures | None]  # before and after


def move_annotators(total: AgreementSnapshot, changes: Mapping[CellKey, Change]) -> None:
    """Subtract what the changed cells held and add what they hold. The study's snapshot must be locked."""
    found: dict[int, Contributions] = {}
    for (criterion, _), (old, new) in changes.items():
        added = combined(found.get(criterion, {}), new.annotators if new else {})
        found[criterion] = combined(added, old.annotators if old else {}, -1)
    moved = {criterion: change for criterion, change in found.items() if change}  # {participant: difference} of each
    people = {participant for each in moved.values() for participant in each}
    rows = AnnotatorCell.objects.filter(snapshot=total, criterion__in=moved, participant__in=people)
    known: dict[int, Contributions] = {criterion: {} for criterion in moved}
    for row in rows:
        known[row.criterion_id][row.participant_id] = Contribution.from_json(row.contribution)
    for criterion, move in moved.items():
        mine = {participant: each for participant, each in known[criterion].items() if participant in move}
        sums = combined(mine, move)
        if gone := mine.keys() - sums.keys():
            AnnotatorCell.objects.filter(snapshot=total, criterion=criterion, participant__in=gone).delete()
        AnnotatorCell.objects.bulk_create(
            (
                AnnotatorCell(snapshot=total, criterion_id=criterion, participant_id=who, contribution=each.to_json())
                for who, each in sums.items()
            ),
            update_conflicts=True,
            unique_fields=["snapshot", "criterion", "participant"],
            update_fields=["contribution"],
        )
