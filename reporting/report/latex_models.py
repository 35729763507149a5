"""The LaTeX tables of models, with their captions: means and differences of sources, behaviours, and rankings."""

from collections.abc import Iterable

from measures.preferences.ranking import DAVIDSON
from reporting.report.build import Report
from reporting.report.comparisons import ModelLimits, SourceScore
from reporting.report.interval_words import withheld_sentence
from reporting.report.latex_table import FEW_UNITS, interval_notes, of_grid, of_these
from reporting.report.model_words import scale_sentences, withheld
from reporting.report.odds_words import odds_sentences
from reporting.report.ranking_words import differing_pairs
from reporting.report.rankings import CriterionRanking
from reporting.report.shown import sources
from reporting.report.shown.frames import Frames
from reporting.tables.cells import PAPER

LETTERS = "Sources of a %s that share no letter differ after Holm's correction (p at most .05)."
NO_INTERVALS = "There are no intervals."


def means(frames: Frames) -> str:
    """Return the main table: means with their intervals, and letters for what differs."""
    report = frames.report
    found = [mean for row in report.comparisons for mean in row.means]
    scales = scale_sentences(report.comparisons, frames.columns)
    caption = " ".join([_head("Means of the sources", found), *scales, report.rules["comparisons"]])
    if report.unrated_sources:
        caption += f" No ratings: {', '.join(report.unrated_sources)}."
    return of_grid(sources.means(frames), caption + _notes(report, (each.limits for each in found)), "means")


def _head(what: str, found: list[SourceScore], line: str = "column") -> str:
    """Return the first sentences of a caption, which promise intervals and letters only where there are any."""
    has_intervals = any(each.limits.low is not None for each in found)
    parts = "95 % intervals and the number of answers (n)" if has_intervals else "the number of answers (n)"
    return f"{what} with {parts}." + (f" {LETTERS % line}" if any(each.letters for each in found) else "")


def _notes(report: Report, found: Iterable[ModelLimits]) -> str:
    """Return why intervals are missing, and what the dagger at those with few data means."""
    ends = [*found]
    missing = dict.fromkeys(each.interval_note for each in ends if each.low is None and each.interval_note)
    of_dialogues = report.material.has_dialogues_as_units
    marked = dict.fromkeys(each.interval_note for each in ends if each.low is not None and each.interval_note)
    why = [withheld(note, of_dialogues) for note in missing]
    return interval_notes(
        ends, " ".join(withheld(each, of_dialogues) for each in marked), " ".join([NO_INTERVALS, *why])
    )


def comparisons(frames: Frames) -> str:
    limits = [pair.limits for row in frames.report.comparisons for pair in row.pairs]
    caption = (
        "Differences of sources, by the model of the means; effect sizes in standard deviations of one rating. "
        "Intervals are not corrected for the number of comparisons: where an interval leaves out 0, Holm's p may still "
        "show no difference. They end at the largest possible difference."
    )
    return of_grid(sources.all_differences(frames), caption + _notes(frames.report, limits), "comparisons")


def equivalence(frames: Frames) -> str:
    caption = "Equivalence of sources: two one-sided t tests against the margin, p after Holm's correction."
    return of_grid(sources.equivalence(frames), caption, "equivalence")


def odds_ratios(frames: Frames) -> str:
    said = odds_sentences(frames.report.odds_ratios, frames.columns, of_dialogues=frames.of_dialogues)
    caption = f"Odds ratios. {said}"
    return of_grid(sources.odds_ratios(frames, PAPER), caption, "oddsratios")


def rankings(frames: Frames) -> str:
    caption = (
        f"Sources ranked by comparisons: {_fitted(frames.report)}. Strengths are on the log scale with mean 0, win "
        "rates are expected scores against the other sources; their intervals hold one by one and are not corrected. "
        f"Ranks hold all at once with 95 % confidence.{_differing(frames)}"
    )
    return of_grid(sources.all_rankings(frames), caption, "rankings")


def win_rates(frames: Frames) -> str:
    """Return a matrix for each criterion: the expected win rate of the row against the column, and direct answers."""
    return "\n\n".join(_matrix(frames, each, at) for at, each in enumerate(frames.report.rankings, 1) if each.pairs)


def _matrix(frames: Frames, found: CriterionRanking, at: int) -> str:
    caption = (
        f"Expected win rates of the row against the column for {frames.names['criteria'][found.criterion]}, with 95 % "
        "intervals, which hold one by one, and the number of answers about the pair (n)."
    )
    return of_grid(sources.win_rates(frames, found.criterion), caption, f"winrates{at}")


def _fitted(report: Report) -> str:
    """Return the models of the rankings: a study without ties has none of Davidson's."""
    found = {each.model.model == DAVIDSON: each.criterion for each in report.rankings}
    if len(found) == 2:
        return "Davidson's model where there are ties, otherwise the Bradley-Terry model"
    return "Davidson's model" if True in found else "the Bradley-Terry model, without ties"


def _differing(frames: Frames) -> str:
    """Return the pairs that differ, with the same confidence as the ranks."""
    said = []
    for each in frames.report.rankings:
        if each.is_tested:
            pairs = differing_pairs(each, frames.names["sources"])
            said.append(f"{frames.names['criteria'][each.criterion]}: {'; '.join(pairs) or 'none'}")
    return f" Pairs that differ, with the same confidence: {'. '.join(said)}." if said else ""


def behaviours(frames: Frames) -> str:
    report = frames.report
    found = [mean for row in report.behaviours for mean in row.rates.means]
    caption = f"{_head('Rates of behaviours', found, 'row')} {report.rules.get('behaviours', '')}"
    notes = _notes(report, (each.limits for each in found))
    return of_grid(sources.behaviours(frames), caption + notes, "behaviours")


def behaviour_agreement(frames: Frames) -> str:
    ends = [each for row in frames.report.behaviours for each in (row.agreement.alpha, row.agreement.fleiss)]
    caption = f"Agreement on behaviours{of_these(ends, ', with 95 % intervals')}."
    notes = interval_notes(ends, FEW_UNITS, withheld_sentence(ends))
    return of_grid(sources.behaviour_agreement(frames), caption + notes, "behaviouragreement")
