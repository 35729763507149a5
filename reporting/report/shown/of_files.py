"""The tables of the report for results that were read from a file: the same columns, headings and formats."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from measures.mixed.sources import SourceComparison
from measures.preferences.ranking import Ranking
from reporting.report.comparisons import means_of
from reporting.report.comparisons import pairs_of as pairs_of_sources
from reporting.report.rankings import pairs_of, sources_of
from reporting.report.shown.frames import Frames
from reporting.report.tables import SourceName

NO_CRITERION = ""


def frames_of_ranking(found: Ranking, sources: Sequence[str]) -> Frames:
    """Return the frames of a ranking, whose sources are named as in the file."""
    rows = sources_of(NO_CRITERION, found, None, sources)
    ranking = SimpleNamespace(sources=rows, pairs=pairs_of(NO_CRITERION, found, sources))
    return Frames(_report(sources, rankings=[ranking]))


def frames_of_comparison(found: SourceComparison, sources: Sequence[str]) -> Frames:
    means = means_of(NO_CRITERION, NO_CRITERION, sources, found)
    pairs = pairs_of_sources(NO_CRITERION, NO_CRITERION, sources, found, None)
    compared = SimpleNamespace(means=means, pairs=pairs)
    material = SimpleNamespace(has_dialogues_as_units=False)
    return Frames(_report(sources, comparisons=[compared], material=material))


def _report(sources: Sequence[str], **parts: Any) -> Any:
    """Return what stands for a report: it has these parts, and no others."""
    names = [SourceName(each, each, False) for each in sources]
    return SimpleNamespace(sources=names, protocol=SimpleNamespace(criteria=[]), **parts)
