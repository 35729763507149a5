"""Say what the size of a batch counts: dialogues, which may be turns of conversations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.dealing import CONVERSATIONS, DIALOGUES
from annotation.models import Batch, Candidate, Item, Study
from annotation.selectors.dialogues import has_turns
from annotation.selectors.studies import unbatched
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
    if has_turns(study.pk):
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
    if responses := Candidate.objects.filter(dialogue__in=waiting).count():
        said.append(_("Responses to rate: %(n)s.") % {"n": intcomma(responses)})
    elif ProtocolVersion.Unit.COMPARISON in spec_of(study.protocol_version).units:
        said.append(_("A pair of whole dialogues counts as one dialogue."))
    return " ".join([*said, *([_conversations(talks)] if talks < n else [])])


def _conversations(talks: int) -> str:
    text = ngettext("They are turns of %(n)s conversation.", "They are turns of %(n)s conversations.", talks)
    return text % {"n": intcomma(talks)}
