"""Say what the size of a batch counts: dialogues, which may be turns of conversations."""

from math import ceil

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Candidate, Study
from annotation.selectors.studies import unbatched
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

EXAMPLE = 5  # conversations per batch


def words_of_sizes(study: Study) -> str:
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
    return " ".join([*said, *([_conversations(n, talks)] if talks < n else [])])


def _conversations(n: int, talks: int) -> str:
    """Return how many conversations `n` dialogues are turns of, and an example of a size."""
    wanted = min(EXAMPLE, talks)
    text = ngettext(
        "They are turns of %(n)s conversation. For all of it in a batch, enter %(size)s.",
        "They are turns of %(n)s conversations. For %(wanted)s conversations per batch, enter %(size)s.",
        talks,
    )
    return text % {"n": intcomma(talks), "wanted": wanted, "size": intcomma(ceil(wanted * n / talks))}
