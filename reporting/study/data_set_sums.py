"""Count the dialogues that a study rates or compares as wholes. Counting words takes long, so the sums are cached."""

from django.contrib.postgres.aggregates import StringAgg
from django.core.cache import cache
from django.db.models import Count, Max, Q
from django.db.models.functions import MD5

from annotation.models import Batch, Dialogue, Item, Study
from protocols.models import ProtocolVersion
from protocols.specs import spec_of
from reporting.study.data_set import DataSet, Figures

Unit = ProtocolVersion.Unit
FETCHED = 2000
KEPT = 60 * 60 * 24


def data_set_of(study: Study) -> Figures | None:
    """Return the statistics of the dialogues in main batches, or None if no whole dialogues are rated or compared."""
    if not {Unit.DIALOGUE, Unit.COMPARISON} & set(spec_of(study.protocol_version).units):
        return None
    items = Item.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, is_check=False)
    whole, compared = items.filter(unit=Unit.DIALOGUE), items.filter(other_dialogue__isnull=False)
    is_read = (
        Q(pk__in=whole.values("dialogue"))
        | Q(pk__in=compared.values("dialogue"))
        | Q(pk__in=compared.values("other_dialogue"))
    )
    found = Dialogue.objects.filter(is_read, study=study, is_textless=False)
    size = found.aggregate(n=Count("pk"), last=Max("pk"), roles=MD5(StringAgg("asker", "\n", order_by="pk")))
    key = f"data-set-figures:{study.join_token}:{size['n']}:{size['last']}:{size['roles']}"
    figures = cache.get(key)
    if figures is None:
        data_set = DataSet()
        for turns, metadata, asker in found.values_list("turns", "metadata", "asker").iterator(FETCHED):
            data_set.add(turns, metadata if isinstance(metadata, dict) else {}, asker)
        figures = data_set.figures()
        cache.set(key, figures, KEPT)
    return figures if figures.dialogues else None
