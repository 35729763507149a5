"""Find out whether a study's material is what its protocol speaks of: responses, or whole dialogues.

Some protocols exist for both. The version for whole dialogues has the number of the other one and an ending: 1.0 and
1.0-dialogues.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import Candidate, Dialogue, Study
from protocols.models import ProtocolVersion
from protocols.selectors import BUILTIN
from protocols.specs import spec_of

ENDING = "-dialogues"


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """The version of the study's protocol that fits its material. `is_for_dialogues` says what that is."""

    number: str
    is_for_dialogues: bool


def fitting_version(study: Study) -> OtherVersion | None:
    """Return the version that speaks of what is compared here, or None if that is the study's own or there is none."""
    version = study.protocol_version
    if ProtocolVersion.Unit.COMPARISON not in spec_of(version).units:
        return None
    is_for_dialogues = version.version.endswith(ENDING)
    other = version.version.removesuffix(ENDING) if is_for_dialogues else version.version + ENDING
    if not _exists(version, other) or not _has_other_material(study, is_for_dialogues=is_for_dialogues):
        return None
    return OtherVersion(other, not is_for_dialogues)


def fitting_words(study: Study) -> list[str]:
    """Return a sentence that names the right version, or nothing if the study's own fits its material."""
    other = fitting_version(study)
    if other is None:
        return []
    if other.is_for_dialogues:
        text = _(
            "The questions and guidelines of this protocol speak of two responses, but the study compares whole "
            "dialogues. The right one is %(name)s, version %(number)s."
        )
    else:
        text = _(
            "The questions and guidelines of this protocol speak of whole dialogues, but the study compares responses. "
            "The right one is %(name)s, version %(number)s."
        )
    return [text % {"name": study.protocol_version.protocol.name, "number": other.number}]


def _exists(version: ProtocolVersion, other: str) -> bool:
    is_shipped = (BUILTIN / f"{version.protocol.slug}-{other}.yaml").exists()
    return is_shipped or ProtocolVersion.objects.filter(protocol=version.protocol_id, version=other).exists()


def _has_other_material(study: Study, *, is_for_dialogues: bool) -> bool:
    main = Dialogue.objects.filter(study=study, purpose=Dialogue.Purpose.MAIN, is_textless=False)
    if is_for_dialogues:
        return Candidate.objects.filter(dialogue__in=main).exists()
    return main.filter(candidates=None, source__isnull=False).exclude(scenario="").exists()
