"""A ranking in words: its answers, which pairs say little, and which sources differ."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.numbers import number
from reporting.report.rankings import CriterionRanking, RankedPair, RankedSource

FEWEST_ANSWERS = 5  # of a pair; with fewer, it says next to nothing of itself


def differing_pairs(ranking: CriterionRanking, names: Mapping[str | None, str]) -> list[str]:
    """Return the pairs whose strengths differ, all at once, from the strongest source on."""
    order = [row.source for row in ranking.sources]
    found = sorted(tuple(map(order.index, pair.better_and_worse)) for pair in ranking.differing)
    pairs = [{"better": names[order[better]], "worse": names[order[worse]]} for better, worse in found]
    return [_("%(better)s over %(worse)s") % each for each in pairs]


def undecided_pairs(ranking: CriterionRanking, names: Mapping[str | None, str]) -> list[str]:
    """Return the pairs that were tested and do not differ."""
    return [_pair(pair, names) for pair in ranking.pairs if pair.differs is False]


def place_sentence(row: RankedSource, source: str) -> str:
    """Return a source with its win rate and its ranks."""
    said = {"source": source, "rate": number(row.win_rate.value)}
    if row.win_rate.low is None or row.best_rank is None:
        return _("%(source)s (win rate %(rate)s)") % said
    said |= {"low": number(row.win_rate.low), "high": number(row.win_rate.high)}
    said |= {"best": str(row.best_rank), "worst": str(row.worst_rank)}
    if row.best_rank == row.worst_rank:
        return _("%(source)s (win rate %(rate)s, 95 %% interval %(low)s to %(high)s; rank %(best)s)") % said
    return _("%(source)s (win rate %(rate)s, 95 %% interval %(low)s to %(high)s; ranks %(best)s to %(worst)s)") % said


def answers_sentence(ranking: CriterionRanking, criterion: str) -> str:
    """Return how many answers the ranking uses and leaves out."""
    model = ranking.model
    said = {"criterion": criterion, "n": f"{model.answers:,}", "bad": f"{model.both_bad:,}"}
    said |= {"other": f"{model.other + model.left_out:,}"}
    sentence = _(
        "For %(criterion)s, the ranking uses %(n)s answers; %(bad)s that call both bad and %(other)s others are left "
        "out."
    )
    if not model.identical:
        return sentence % said
    shown = ngettext(
        "%(n)s pair of identical texts was not shown.",
        "%(n)s pairs of identical texts were not shown.",
        model.identical,
    )
    return f"{sentence % said} {shown % {'n': f'{model.identical:,}'}}"


def thin_pairs(ranking: CriterionRanking, names: Mapping[str | None, str]) -> Iterable[str]:
    """Yield which pairs were never compared, hardly ever, or always answered the same way."""
    ranked = {row.source for row in ranking.sources if row.strength.value is not None}
    pairs = [each for each in ranking.pairs if {each.source_a, each.source_b} <= ranked]
    never = [each for each in pairs if not each.answers + each.both_bad]
    few = [each for each in pairs if each.answers + each.both_bad and each.answers < FEWEST_ANSWERS]
    if never:
        yield _("Never compared directly, so that their win rates come through other sources: %(pairs)s.") % {
            "pairs": "; ".join(_pair(each, names) for each in never)
        }
    if few:
        yield _("With fewer than 5 direct answers: %(pairs)s.") % {
            "pairs": "; ".join(f"{_pair(each, names)} ({each.answers})" for each in few)
        }
    one_way = [each for each in pairs if each.is_one_way]
    if one_way and ranking.model.transitivity.transitivity_p is not None:
        yield _("The test of transitivity leaves out pairs that were always answered the same way: %(pairs)s.") % {
            "pairs": "; ".join(_pair(each, names) for each in one_way)
        }


def _pair(pair: RankedPair, names: Mapping[str | None, str]) -> str:
    return _("%(a)s and %(b)s") % {"a": names[pair.source_a], "b": names[pair.source_b]}
