"""Tell the dialogues that wait for a batch from those that the study's protocol has no question for."""

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils.translation import ngettext

from annotation.models import Candidate, Dialogue, Source, Study
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

Unit = ProtocolVersion.Unit
# A prompt is one turn that may hold several, so its text grows in place of the number of turns.
IN_ORDER = "jsonb_array_length({0}.turns), length({0}.turns -> 0 ->> 'text'), {0}.position"
# The turns that others of the same conversation follow: the whole dialogue is rated at the last one.
FOLLOWED = f"""
    SELECT id FROM (
        SELECT id, lead(id) OVER (PARTITION BY conversation, purpose ORDER BY {IN_ORDER.format("dialogue")}) AS next
        FROM annotation_dialogue dialogue
        WHERE study_id = %s AND NOT is_textless AND conversation IN (
            SELECT conversation FROM annotation_dialogue WHERE study_id = %s AND conversation <> key)) turn
    WHERE next IS NOT NULL
"""


def unbatched_count(study: Study) -> int:
    return unbatched(study).count()


def unbatched(study: Study) -> QuerySet[Dialogue]:
    """Return the dialogues that are in no batch and can be put into one: the protocol has a question for them."""
    return _in_no_batch(study).filter(_is_asked(study))


def unasked(study: Study) -> QuerySet[Dialogue]:
    """Return the dialogues that are in no batch because the protocol has no question for them."""
    return _in_no_batch(study).exclude(pk__in=unbatched(study).values("pk"))


def unasked_words(study: Study) -> str:
    """Return how many dialogues the protocol has no question for and what to do; empty if there are none."""
    n = unasked(study).count()
    if not n:
        return ""
    if rates_only_wholes(study):
        text = ngettext(
            "This protocol has no question for %(number)s dialogue: it asks about whole dialogues, and this is a turn "
            "of one. To rate it, use a protocol that asks about responses. Otherwise remove it under Dialogues and "
            "their use, or import the chat log again with “none” as “Responses to rate”.",
            "This protocol has no question for %(number)s dialogues: it asks about whole dialogues, and these are "
            "turns of them. To rate them, use a protocol that asks about responses. Otherwise remove them under "
            "Dialogues and their use; “none” as “Responses to rate” imports a chat log without them.",
            n,
        )
    else:
        text = ngettext(
            "This protocol has no question for %(number)s dialogue, which has no response to rate. To rate it, use a "
            "protocol that asks about whole dialogues. Otherwise remove it under Dialogues and their use.",
            "This protocol has no question for %(number)s dialogues, which have no response to rate. To rate them, use "
            "a protocol that asks about whole dialogues. Otherwise remove them under Dialogues and their use.",
            n,
        )
    return text % {"number": intcomma(n)}


def unusable(study: Study) -> QuerySet[Dialogue]:
    """Return the dialogues in no batch that cannot be put into one: without a question, or with one side to compare."""
    found = Q(pk__in=unasked(study).values("pk"))
    if Unit.COMPARISON in spec_of(study.protocol_version).units:
        waiting = unbatched(study).order_by()
        candidates = Candidate.objects.filter(dialogue__in=waiting).order_by().values("dialogue")
        found |= Q(pk__in=candidates.annotate(n=Count("source", distinct=True)).filter(n=1).values("dialogue"))
        others = Dialogue.objects.filter(study=study, scenario=OuterRef("scenario"), source__isnull=False)
        lone = waiting.filter(~Exists(others.exclude(source=OuterRef("source"))), source__isnull=False)
        found |= Q(pk__in=lone.exclude(scenario="").values("pk"))
    return Dialogue.objects.filter(found, study=study)


def rates_only_wholes(study: Study) -> bool:
    return {*spec_of(study.protocol_version).units} == {Unit.DIALOGUE}


def _in_no_batch(study: Study) -> QuerySet[Dialogue]:
    """Return the dialogues with texts that no batch holds. Those of worked examples are not dealt out."""
    examples = Candidate.objects.filter(dialogue=OuterRef("pk"), source__key__startswith=Source.EXAMPLES)
    of_examples = Q(Exists(examples), purpose=Dialogue.Purpose.TRAINING)
    return Dialogue.objects.filter(
        ~of_examples,
        study=study,
        items=None,
        identical_pairs=None,
        other_items=None,
        other_identical_pairs=None,
        is_textless=False,
    )


def _is_asked(study: Study) -> Q:
    """Return the condition that the dealing of batches goes by."""
    units = {*spec_of(study.protocol_version).units}
    found = Q(pk__in=[])
    if units - {Unit.DIALOGUE}:
        found |= Q(Exists(Candidate.objects.filter(dialogue=OuterRef("pk"))))
    if Unit.DIALOGUE in units:
        found |= ~Q(pk__in=RawSQL(FOLLOWED, [study.pk, study.pk]))  # noqa: S611 - a constant
    if Unit.COMPARISON in units:
        found |= Q(source__isnull=False) & ~Q(scenario="")
    return found
