"""The items on which a metric differs most from people, with texts and answers. For people with Right.READ alone."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import pgettext

from annotation.models import Candidate, Dialogue, Metric
from measures.arrays import IntArray
from measures.machines.systems import ItemGap, widest_gaps
from parley.numbers import number
from protocols.specs import CriterionSpec
from reporting.predictions.judging import Judging

MOST = 20


def gap_rows(judging: Judging) -> list[dict[str, Any]]:
    """Return the items in their order, the widest gap first; none if the metric's scores are no answers."""
    if judging.answers is None or judging.level is None:
        return []
    gaps = widest_gaps(judging.answers, judging.level, MOST)
    texts = _texts(judging, gaps)
    return [
        {
            **texts[int(place)],
            "people": _answers(judging.criterion, judging.votes.tallies[place]),
            "said": _said(judging, int(place)),
            "gap": gap.gap,
        }
        for gap, place in zip(gaps, _places(judging, gaps), strict=True)
    ]


def _places(judging: Judging, gaps: Sequence[ItemGap]) -> IntArray:
    """Return indices in StudyVotes.items: what people rated is in a batch."""
    return judging.place[[each.item for each in gaps]]


def _texts(judging: Judging, gaps: Sequence[ItemGap]) -> dict[int, dict[str, Any]]:
    places = _places(judging, gaps)
    dialogues = Dialogue.objects.select_related("source").in_bulk(judging.items.dialogue[places].tolist())
    candidates = Candidate.objects.select_related("source").in_bulk(judging.items.candidate[places].tolist())
    found = {}
    for place in places.tolist():
        dialogue = dialogues[int(judging.items.dialogue[place])]
        candidate = candidates.get(int(judging.items.candidate[place]))
        source = candidate.source if candidate else dialogue.source
        found[place] = {
            "dialogue": dialogue.key,
            "source": source.name if source else "",
            "turns": [(candidate.speaker, candidate.text)] if candidate else _turns(dialogue),
        }
    return found


def _turns(dialogue: Dialogue) -> list[tuple[str, str]]:
    return [(turn.get("speaker", ""), turn["text"]) for turn in dialogue.turns]


def _answers(criterion: CriterionSpec, tally: IntArray) -> list[str]:
    """Return how many people gave each answer, the most frequent first."""
    counts = sorted(zip(tally.tolist(), criterion.options, strict=True), key=lambda each: -each[0])
    return [
        pgettext("answers of people", "%(n)d × %(answer)s") % {"n": n, "answer": option.label}
        for n, option in counts
        if n
    ]


def _said(judging: Judging, place: int) -> str:
    if judging.metric.kind == Metric.Kind.LABEL:
        return judging.criterion.options[int(judging.predicted.code[place])].label
    return number(float(judging.predicted.value[place]))
