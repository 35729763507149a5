"""Odds ratios of the sources on questions with two kinds of answers, beside their differences."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from measures.mixed.design import Ratings
from measures.ordinal.odds import OddsRatio
from reporting.report.comparisons import SourceComparison, SourcePair, rated_sources
from reporting.study.cells import StudyCells
from reporting.study.comparing import odds_of
from reporting.study.scores import ratings_of, scale_of
from reporting.study.votes import StudyVotes

MOST_RATINGS = 5_000  # of a criterion; with more, the model takes longer than people wait for a page
TOO_MANY, WITHHELD = "too_many_ratings", "withheld"


@dataclass(frozen=True, slots=True)
class SourceOdds:
    """The odds of a positive (or the higher) answer for source a, over those for source b.

    The model is a logistic mixed model with the random effects of the differences. The interval is a 95 % one, for new
    annotators and new conversations; `p_holm` is corrected over the pairs of the criterion. Without numbers, `reason`
    says why. `withheld`: the difference has no interval either.
    """

    criterion: str
    source_a: str | None
    source_b: str | None
    odds_ratio: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    reason: str | None
    n_ratings: int
    n_annotators: int


def odds_table(study: StudyCells, votes: StudyVotes, comparisons: Iterable[SourceComparison]) -> list[SourceOdds]:
    """Return a row for each pair of sources of each criterion whose answers are of two kinds."""
    criteria = {each.key: each for each in study.spec.voted}
    found: list[SourceOdds] = []
    for row in comparisons:
        if row.is_binary and row.pairs:
            mine = votes.by_criterion[criteria[row.criterion].id]
            scale, sources = scale_of(mine.criterion), rated_sources(study, mine)
            if scale is not None:
                found += _of_criterion(row, ratings_of(mine, scale, list(sources)), list(sources.values()))
    return found


def _of_criterion(row: SourceComparison, ratings: Ratings, names: Sequence[str | None]) -> Iterator[SourceOdds]:
    if row.n_ratings > MOST_RATINGS:
        yield from (_nothing(row, pair, TOO_MANY) for pair in row.pairs)
        return
    used, source = np.unique(ratings.source, return_inverse=True)
    fit = odds_of(replace(ratings, source=source.ravel().astype(np.int64)))
    known = {(names[used[each.first]], names[used[each.second]]): each for each in fit.pairs}
    for pair in row.pairs:
        odds = known.get((pair.source_a, pair.source_b))
        if pair.limits.low is None:
            yield _nothing(row, pair, WITHHELD)
        elif odds is None:
            yield _nothing(row, pair, fit.reason or WITHHELD)
        else:
            yield _row(row, pair, odds)


def _row(row: SourceComparison, pair: SourcePair, odds: OddsRatio) -> SourceOdds:
    numbers = (odds.ratio, odds.low, odds.high, odds.p_value, odds.adjusted_p)
    return SourceOdds(
        row.criterion, pair.source_a, pair.source_b, *numbers, None, pair.limits.n_ratings, row.n_annotators
    )


def _nothing(row: SourceComparison, pair: SourcePair, reason: str) -> SourceOdds:
    sources, n = (pair.source_a, pair.source_b), pair.limits.n_ratings
    return SourceOdds(row.criterion, *sources, None, None, None, None, None, reason, n, row.n_annotators)
