"""Fill the slots on the pages of annotation with what quality control and reporting show there."""

from dataclasses import replace

from annotation.models import Study
from annotation.slots import StudyFilling
from qualification.slots import SLOTS as OF_QUALITY_CONTROL
from reporting.datasheet.gaps import Gaps, gaps_of


def _gaps(study: Study) -> dict[str, Gaps | None]:
    """Return them before the study opens, while they can still be filled; later they stand in the datasheet."""
    return {"paper": gaps_of(study) if study.status == Study.Status.DRAFT else None}


SLOTS = replace(
    OF_QUALITY_CONTROL,
    study=(*OF_QUALITY_CONTROL.study, StudyFilling("paper", "reporting/datasheet/_gaps.html", _gaps)),
)
