"""List the pilots of a study that a later batch can repeat, and what has changed since each."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Batch, Item, Rating, Study
from protocols.models import ProtocolVersion


@dataclass(frozen=True, slots=True)
class Pilot:
    """A pilot that can be repeated. `notes` are sentences about what has changed."""

    key: str
    n_items: int
    n_dialogues: int
    notes: tuple[str, ...]


def pilots_to_repeat(study: Study) -> list[Pilot]:
    """Return the pilots, newest first, in a constant number of queries."""
    pilots = list(study.batches.filter(kind=Batch.Kind.PILOT).order_by("-position"))
    if not pilots:
        return []
    others = Rating.objects.filter(batch__in=pilots).exclude(criterion__version=study.protocol_version_id)
    named = others.order_by("criterion__version").values_list("batch", "criterion__version__version").distinct()
    versions = defaultdict(list)
    for pk, version in named:
        versions[pk].append(version)
    is_response = Q(unit=ProtocolVersion.Unit.RESPONSE)
    items = Item.objects.filter(batch__in=pilots).order_by().values("batch")
    counted = items.annotate(
        dialogues=Count("dialogue", distinct=True),
        shown=Count("candidate", distinct=True),
        there=Count("dialogue__candidates", distinct=True, filter=is_response),
    )
    counts = {row["batch"]: dict(row) for row in counted}
    return [_pilot(study, batch, versions[batch.pk], counts.get(batch.pk, {})) for batch in pilots]


def _pilot(study: Study, batch: Batch, versions: list[str], counts: dict[str, Any]) -> Pilot:
    notes = [
        _("It was rated with version %(old)s of the protocol. The study now follows version %(new)s.")
        % {"old": version, "new": study.protocol_version.version}
        for version in versions
    ]
    n_hidden = counts.get("there", 0) - counts.get("shown", 0)
    if n_hidden > 0:
        text = ngettext(
            "Its dialogues have %(n)s response that this pilot does not show.",
            "Its dialogues have %(n)s responses that this pilot does not show.",
            n_hidden,
        )
        notes.append(text % {"n": n_hidden})
    return Pilot(batch.key, batch.n_items, counts.get("dialogues", 0), tuple(notes))
