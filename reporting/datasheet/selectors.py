"""What a datasheet tells of a study that no other part of the report does, and what its people wrote themselves."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from annotation.models import Assignment, Batch, DatasheetAnswer, Study
from protocols.models import Example


@dataclass(frozen=True, slots=True)
class Setting:
    """`n_here` and `n_imported`: annotators with a seat of a main batch, by where they gave their answers."""

    n_dialogues: int
    n_examples: int
    n_here: int
    n_imported: int

    @property
    def is_elsewhere(self) -> bool:
        """Whether nobody has worked in Parley though there are answers: what its pages show says nothing then."""
        return self.n_imported > 0 and self.n_here == 0


@dataclass(frozen=True, slots=True)
class Written:
    """An answer in somebody's own words; `author` is empty where it was imported."""

    text: str
    author: str
    at: datetime


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
    )


def written_answers(study: Study) -> dict[str, Written]:
    """By the number of the question."""
    rows = DatasheetAnswer.objects.filter(study=study).select_related("author")
    return {row.question: Written(row.text, _name(row), row.updated_at) for row in rows}


def _name(row: DatasheetAnswer) -> str:
    return "" if row.author is None else row.author.get_full_name() or row.author.get_username()
