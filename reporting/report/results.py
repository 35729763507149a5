"""Write a paragraph for the results section of a paper, with the numbers of the main table."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.listing import both
from parley.numbers import digits_beside_zero, number
from parley.templatetags.numbers import probability
from reporting.report.behaviours import Behaviour
from reporting.report.comparisons import SourceComparison, SourcePair, SourceScore
from reporting.report.judge_words import judge_results
from reporting.report.model_words import withheld
from reporting.report.ranking_words import differing_pairs, place_sentence, undecided_pairs
from reporting.report.rankings import CriterionRanking
from reporting.study.scores import POSITIVE_SHARE

if TYPE_CHECKING:
    from reporting.report.build import Report


def results(report: "Report") -> list[str]:
    """Return sentences in the active language, in the order of the report."""
    criteria = {each.key: each.name for each in report.protocol.criteria}
    sources = {each.key: each.name for each in report.sources} | {None: _("all dialogues")}
    is_by_dialogue = report.material.has_dialogues_as_units
    found: list[str] = []
    for row in report.comparisons:
        if row.means:
            found += _compared(row, criteria[row.criterion], sources, of_dialogues=is_by_dialogue)
    for behaviour in report.behaviours:
        found += _ticked(behaviour, sources, of_dialogues=is_by_dialogue)
    for each in report.rankings:
        found += _ranked(each, criteria[each.criterion], sources)
    return [*found, *_for_whom(report), *judge_results(report, criteria)]


def _for_whom(report: "Report") -> Iterable[str]:
    """Yield for whom the intervals hold, if there are any."""
    means = [each for row in report.comparisons for each in row.means]
    means += [each for row in report.behaviours for each in row.rates.means]
    lows = [each.limits.low for each in means] + [row.win_rate.low for each in report.rankings for row in each.sources]
    if all(low is None for low in lows):
        return
    if report.material.has_dialogues_as_units:
        yield _("The intervals hold for new annotators and new dialogues like these.")
    else:
        yield _("The intervals hold for new annotators and new conversations like these.")


def _compared(
    row: SourceComparison, criterion: str, sources: dict[str | None, str], *, of_dialogues: bool
) -> Iterable[str]:
    means = [_mean(each, sources[each.source]) for each in row.means if each.mean is not None]
    if not means:
        return
    sentence = _("On %(criterion)s, the mean was %(means)s.")
    if row.score == POSITIVE_SHARE:
        sentence = _("On %(criterion)s, the share of positive answers was %(means)s.")
    yield sentence % {"criterion": criterion, "means": both(means)}
    yield from _differing(row, sources, of_dialogues=of_dialogues)


def _ticked(row: Behaviour, sources: dict[str | None, str], *, of_dialogues: bool) -> Iterable[str]:
    """Yield the rates of a behaviour, and what differs."""
    rates = [_mean(each, sources[each.source]) for each in row.rates.means if each.mean is not None]
    if not rates:
        return
    yield _("The rate of “%(behaviour)s” was %(rates)s.") % {"behaviour": row.label, "rates": both(rates)}
    yield from _differing(row.rates, sources, of_dialogues=of_dialogues)


def _differing(row: SourceComparison, sources: dict[str | None, str], *, of_dialogues: bool) -> Iterable[str]:
    """Yield why means have no interval, and which sources differ."""
    reasons = {each.limits.interval_note for each in row.means if each.limits.low is None}
    yield from (withheld(reason, of_dialogues) for reason in sorted(filter(None, reasons)))
    tested = [pair for pair in row.pairs if pair.p_holm is not None]
    differing = [pair for pair in tested if pair.is_significant]
    if tested and not differing:
        yield _("No two sources differed significantly after Holm's correction.")
    elif differing:
        pairs = {"pairs": "; ".join(_difference(pair, sources) for pair in differing)}
        yield _("After Holm's correction, these differed significantly: %(pairs)s.") % pairs
        if len(differing) < len(tested):
            yield ngettext("The other pair did not.", "The other pairs did not.", len(tested) - len(differing))
    yield from _equivalent(row, sources)


def _equivalent(row: SourceComparison, sources: dict[str | None, str]) -> Iterable[str]:
    """Yield which sources were shown to be equivalent, or that none were; nothing without a margin or a test."""
    tested = [pair for pair in row.pairs if pair.equivalence.p_holm is not None]
    if not tested:
        return
    margin = {"margin": number(row.margin)}
    pairs = [_same(pair, sources) for pair in tested if pair.is_equivalent]
    if pairs:
        yield _("Within ±%(margin)s, these were equivalent: %(pairs)s.") % (margin | {"pairs": "; ".join(pairs)})
    if len(pairs) < len(tested):
        sentence = _("No pair was shown to be equivalent within ±%(margin)s.")
        if pairs:
            sentence = _("Equivalence within ±%(margin)s was not shown for any other pair.")
        yield sentence % margin


def _same(pair: SourcePair, sources: dict[str | None, str]) -> str:
    return _("%(a)s and %(b)s (p %(p)s)") % {
        "a": sources[pair.source_a],
        "b": sources[pair.source_b],
        "p": _equality(probability(pair.equivalence.p_holm)),
    }


def _mean(each: SourceScore, source: str) -> str:
    said = {"source": source, "mean": number(each.mean)}
    if each.limits.low is None:
        return _("%(mean)s for %(source)s") % said
    ends = {"low": number(each.limits.low), "high": number(each.limits.high)}
    return _("%(mean)s for %(source)s (95 %% interval %(low)s to %(high)s)") % (said | ends)


def _difference(pair: SourcePair, sources: dict[str | None, str]) -> str:
    """Return the pair with the higher mean first, so that its difference is positive."""
    value, low, high = pair.difference or 0.0, pair.limits.low or 0.0, pair.limits.high or 0.0
    names = [sources[pair.source_a], sources[pair.source_b]]
    if value < 0:
        value, low, high = -value, -high, -low
        names.reverse()
    return _("%(a)s above %(b)s by %(difference)s (95 %% interval %(low)s to %(high)s, p %(p)s)") % {
        "a": names[0],
        "b": names[1],
        "difference": number(value),
        "low": number(low, f".{digits_beside_zero(low)}f"),
        "high": number(high, f".{digits_beside_zero(high)}f"),
        "p": _equality(probability(pair.p_holm)),
    }


def _equality(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _ranked(each: CriterionRanking, criterion: str, sources: dict[str | None, str]) -> Iterable[str]:
    order = [place_sentence(row, sources[row.source]) for row in each.sources if row.win_rate.value is not None]
    if not order:
        return
    said = {"criterion": criterion, "order": ", ".join(order)}
    yield _("Compared on %(criterion)s, the sources ranked from best to worst: %(order)s.") % said
    pairs = differing_pairs(each, sources)
    if pairs:
        yield _("These pairs differed, all at once with 95 %% confidence: %(pairs)s.") % {"pairs": "; ".join(pairs)}
        if others := undecided_pairs(each, sources):
            yield _("These did not: %(pairs)s.") % {"pairs": "; ".join(others)}
    elif each.is_tested:
        yield _("No pair differed, all at once with 95 per cent confidence.")
