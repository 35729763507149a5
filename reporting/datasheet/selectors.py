"""Queries for the datasheet: facts that no other part of the report has, and answers that people wrote."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Assignment, Batch, DatasheetAnswer, Item, Study
from protocols.models import Example


@dataclass(frozen=True, slots=True)
class Setting:
    """Counts of a study. `n_here` and `n_imported` count annotators of main batches who worked in Parley or elsewhere.

    Only annotators with a seat count.
    """

    n_dialogues: int
    n_examples: int
    n_here: int
    n_imported: int
    compares_dialogues: bool
    is_shuffled: bool

    @property
    def is_elsewhere(self) -> bool:
        """Return True if all answers were imported: Parley's pages then do not describe how the work was done."""
        return self.n_imported > 0 and self.n_here == 0


def setting_of(study: Study) -> Setting:
    seated = Assignment.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, seat__isnull=False)
    people = seated.aggregate(
        here=Count("participant", distinct=True, filter=Q(is_imported=False)),
        imported=Count("participant", distinct=True, filter=Q(is_imported=True)),
    )
    return Setting(
        n_dialogues=study.dialogues.count(),
        n_examples=Example.objects.filter(criterion__version=study.protocol_version_id).count(),
        n_here=people["here"],
        n_imported=people["imported"],
        compares_dialogues=Item.objects.filter(batch__study=study, other_dialogue__isnull=False).exists(),
        is_shuffled=seated.filter(is_shuffled=True).exists(),
    )


def written_answers(study: Study) -> dict[str, DatasheetAnswer]:
    """Return {number of the question: answer}; one that was imported has no author."""
    return {row.question: row for row in DatasheetAnswer.objects.filter(study=study).select_related("author")}
