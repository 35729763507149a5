"""Say what the size of a batch counts: dialogues, which may be turns of conversations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.dealing import CONVERSATIONS, DIALOGUES
from annotation.models import Batch, Candidate, Dialogue, Item, Study
from annotation.selectors.comparisons import READING
from annotation.selectors.dialogues import has_turns
from annotation.selectors.waiting import rates_only_wholes, unbatched
from protocols.models import ProtocolVersion
from protocols.specs import spec_of


@dataclass(frozen=True, slots=True)
class Sizes:
    """Hold what a size may count, if there is a choice, and a sentence on what waits for a batch."""

    words: str
    units: Sequence[tuple[str, str]] = ()


def n_conversations(batches: Iterable[Batch]) -> dict[int, int]:
    """Return {batch: the conversations of its items}."""
    items = Item.objects.filter(batch__in=[batch.pk for batch in batches], is_check=False).order_by()
    return dict(items.values_list("batch").annotate(n=Count("dialogue__conversation", distinct=True)))


def sizes_of(study: Study) -> Sizes:
    """Return what the size of a batch may count, and how much waits for one."""
    units: Sequence[tuple[str, str]] = ()
    if has_turns(study.pk) and not rates_only_wholes(study):
        units = [(DIALOGUES, _("dialogues (turns)")), (CONVERSATIONS, _("conversations"))]
    elif _compares_wholes(study):
        units = [(DIALOGUES, _("pairs")), (CONVERSATIONS, _("scenarios"))]
    return Sizes(_words(study), units)


def _compares_wholes(study: Study) -> bool:
    is_comparing = ProtocolVersion.Unit.COMPARISON in spec_of(study.protocol_version).units
    return is_comparing and study.dialogues.filter(source__isnull=False).exclude(scenario="").exists()


def _words(study: Study) -> str:
    """Return how many conversations and responses the dialogues are that no batch holds; empty if there are none."""
    waiting = unbatched(study)
    counts = waiting.aggregate(dialogues=Count("pk"), conversations=Count("conversation", distinct=True))
    n, talks = counts["dialogues"], counts["conversations"]
    if not n:
        return ""
    text = ngettext(
        "A batch counts dialogues: %(n)s dialogue is not in a batch.",
        "A batch counts dialogues: %(n)s dialogues are not in a batch.",
        n,
    )
    said = [text % {"n": intcomma(n)}]
    if rates_only_wholes(study):
        return said[0]
    if responses := Candidate.objects.filter(dialogue__in=waiting).count():
        said.append(_("Responses to rate: %(n)s.") % {"n": intcomma(responses)})
        said += _identical(study, waiting)
    elif ProtocolVersion.Unit.COMPARISON in spec_of(study.protocol_version).units:
        said.append(_("A pair of whole dialogues counts as one dialogue."))
    return " ".join([*said, *([_conversations(talks)] if talks < n else [])])


def _identical(study: Study, waiting: QuerySet[Dialogue]) -> list[str]:
    """Return how many pairs of responses read the same, which are not shown. Dialogues may list other pairs."""
    if ProtocolVersion.Unit.COMPARISON not in spec_of(study.protocol_version).units:
        return []
    counted = waiting.exclude(metadata__has_key=Dialogue.PAIRS).values("pk")
    others = Candidate.objects.filter(dialogue=OuterRef("dialogue"), source__gt=OuterRef("source")).alias(read=READING)
    same = others.filter(read=OuterRef("read"), context=OuterRef("context"))
    n = Candidate.objects.filter(dialogue__in=counted).alias(read=READING).filter(Exists(same)).count()
    text = ngettext(
        "%(number)s identical pair is not shown and counts as a tie.",
        "%(number)s identical pairs are not shown and count as ties.",
        n,
    )
    return [text % {"number": intcomma(n)}] if n else []


def _conversations(talks: int) -> str:
    text = ngettext("They are turns of %(n)s conversation.", "They are turns of %(n)s conversations.", talks)
    return text % {"n": intcomma(talks)}
