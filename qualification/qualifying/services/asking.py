"""Decide which questions a training item asks: those whose answer is explained, and those that lead to them."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import QuerySet

from annotation.models import Batch, Item, Study
from protocols.specs import VersionSpec, spec_of
from qualification.models import KnownAnswer
from qualification.qualifying.selectors.training import Place, place_of


def ask_what_is_known(study: Study, items: QuerySet[Item]) -> None:
    """Store what each of the training items asks. An item without known answers asks everything.

    A question that no example answers is left out: the facts that are needed to answer it may not be shown.
    """
    # The keys of the questions whose answer is known, by what they are asked about.
    known: dict[Place, set[str]] = defaultdict(set)
    rows = KnownAnswer.objects.filter(
        study=study, kind=KnownAnswer.Kind.TRAINING, is_active=True, criterion__version=study.protocol_version_id
    )
    for row in rows.select_related("criterion"):
        known[place_of(row)].add(row.criterion.key)
    spec = spec_of(study.protocol_version)
    changed = []
    for item in items.filter(batch__study=study, batch__kind=Batch.Kind.TRAINING):
        asks = _with_leading(spec, known[place_of(item)])
        if item.asks != asks:
            item.asks = asks
            changed.append(item)
    Item.objects.bulk_update(changed, ["asks"], batch_size=1000)


def _with_leading(spec: VersionSpec, keys: Iterable[str]) -> list[str]:
    found: set[str] = set()
    waiting = [key for key in keys if spec.by_key[key].is_asked]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += [condition.criterion for condition in spec.by_key[key].when]
    return sorted(found)
