"""The pairs that a dialogue lists: which sources are compared on it, or on whole dialogues of its scenario."""

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.outcome import BadField
from annotation.models import Dialogue

PAIRS = Dialogue.PAIRS


def listed_pairs(value: Any) -> list[list[str]]:
    """Return the pairs in a field `pairs`. A value of another form is plain metadata and lists none."""
    is_listing = type(value) is list and all(
        type(pair) is list and all(type(name) is str for name in pair) for pair in value
    )
    return value if is_listing else []


def refuse_bad_pairs(metadata: dict[str, Any], sources: Collection[str] | None) -> None:
    """Raise BadField for a pair that cannot be compared: each names two sources, which answer this dialogue.

    None stands for sources that are not known yet.
    """
    for at, pair in enumerate(listed_pairs(metadata.get(PAIRS))):
        place = f"{PAIRS}[{at}]"
        if len(pair) != 2 or pair[0] == pair[1]:
            text = _("must name two different sources, for example %(example)s")
            raise BadField(place, text % {"example": '["model-a", "model-b"]'})
        for name in pair:
            if sources is not None and name not in sources:
                text = _("%(name)r has no response to this dialogue: its sources are %(sources)s")
                known = ", ".join(dict.fromkeys(sources)) or _("none")
                raise BadField(place, text % {"name": name, "sources": known})
