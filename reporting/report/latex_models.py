"""The LaTeX tables of models: means and differences of sources, behaviours, and rankings."""

from collections.abc import Iterable

from django.utils.translation import override as in_language

from measures.preferences.ranking import DAVIDSON
from parley.numbers import digits_beside_zero
from reporting.report.build import Report
from reporting.report.comparisons import ModelLimits, SourceScore
from reporting.report.interval_words import withheld_sentence
from reporting.report.latex_table import (
    FEW_DATA,
    FEW_UNITS,
    Cells,
    criterion,
    interval,
    interval_notes,
    limits,
    number,
    of_these,
    pivot,
    probability,
    sources,
    table,
)
from reporting.report.model_words import scale_sentences, withheld
from reporting.report.ranking_words import differing_pairs
from reporting.report.rankings import Bounded, CriterionRanking

LETTERS = "Sources of a %s that share no letter differ after Holm's correction (p at most .05)."
NO_INTERVALS = "There are no intervals."


def means(report: Report) -> str:
    """Return the main table: means with their intervals, and letters for what differs."""
    found = [mean for row in report.comparisons for mean in row.means]
    cells: Cells = {(row.source, row.criterion): _mean(row) for row in found}
    with in_language("en"):
        scales = scale_sentences(report.comparisons, {each.key: each.name for each in report.criteria})
    caption = " ".join([_head("Means of the sources", found), *scales, report.rules["comparisons"]])
    if report.unrated_sources:
        caption += f" No ratings: {', '.join(report.unrated_sources)}."
    return pivot(report, cells, caption + _notes(report, (each.limits for each in found)), "means")


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
    with in_language("en"):
        few = next((each.interval_note for each in ends if each.low is not None and each.interval_note), None)
        why = [withheld(note, of_dialogues) for note in missing]
        return interval_notes(ends, withheld(few, of_dialogues), " ".join([NO_INTERVALS, *why]))


def _mean(row: SourceScore) -> str:
    """Return a mean with its interval, its letters, and the number of answers."""
    mean = " ".join(filter(None, [number(row.mean), row.letters]))
    return "\n".join(filter(None, [mean, limits(row.limits), f"n {row.limits.n_ratings:,}"]))


def _sided(found: ModelLimits) -> str:
    """Return the interval of a difference, with enough decimals to tell on which side of 0 its ends lie."""
    if found.low is None or found.high is None:
        return "--"
    low, high = (number(end, digits_beside_zero(end)) for end in (found.low, found.high))
    return f"[{low}, {high}]{FEW_DATA if found.interval_note else ''}"


def comparisons(report: Report) -> str:
    names = sources(report)
    pairs = [pair for row in report.comparisons for pair in row.pairs]
    lines = [
        [
            criterion(report, pair.criterion),
            f"{names[pair.source_a]} -- {names[pair.source_b]}",
            number(pair.difference),
            _sided(pair.limits),
            number(pair.limits.degrees_of_freedom, 1),
            probability(pair.p_holm),
            number(pair.effect),
        ]
        for pair in pairs
    ]
    head = ["Criterion", "Sources", "Difference", "95 % interval", "df", "p (Holm)", "Effect size"]
    caption = (
        "Differences of sources, by the model of the means; effect sizes in standard deviations of one rating. "
        "Intervals are not corrected for the number of comparisons: where an interval leaves out 0, Holm's p may still "
        "show no difference. They end at the largest possible difference."
    )
    notes = _notes(report, (each.limits for each in pairs))
    return table(head, lines, caption + notes, "comparisons", columns="llrrrrr") if lines else ""


def rankings(report: Report) -> str:
    names = sources(report)
    lines = [
        [
            criterion(report, row.criterion),
            names[row.source],
            *_bounded(row.strength),
            number(row.elo, 0),
            *_bounded(row.win_rate),
            "--" if row.best_rank is None else f"{row.best_rank} to {row.worst_rank}",
            f"{row.answers:,}",
        ]
        for each in report.rankings
        for row in each.sources
    ]
    head = ["Criterion", "Source", "Strength", "95 % interval", "Elo", "Win rate", "95 % interval", "Rank", "n"]
    caption = (
        f"Sources ranked by comparisons: {_fitted(report)}. Strengths are on the log scale with mean 0, win rates are "
        "expected scores against the other sources; their intervals hold one by one and are not corrected. Ranks hold "
        f"all at once with 95 % confidence.{_differing(report)} n counts the answers about a source."
    )
    return table(head, lines, caption, "rankings", columns="llrrrrrrr") if lines else ""


def win_rates(report: Report) -> str:
    """Return a matrix for each criterion: the expected win rate of the row against the column, and direct answers."""
    return "\n\n".join(_matrix(report, each, at) for at, each in enumerate(report.rankings, 1) if each.pairs)


def _matrix(report: Report, found: CriterionRanking, at: int) -> str:
    names, keys = sources(report), [row.source for row in found.sources]
    cells = {(pair.source_a, pair.source_b): _win_rate(pair.win_rate, pair.answers) for pair in found.pairs}
    cells |= {
        (pair.source_b, pair.source_a): _win_rate(pair.win_rate.of_the_other, pair.answers) for pair in found.pairs
    }
    lines = [[names[row], *("" if row == key else cells.get((row, key), "--") for key in keys)] for row in keys]
    caption = (
        f"Expected win rates of the row against the column for {criterion(report, found.criterion)}, with 95 % "
        "intervals, which hold one by one, and the number of answers about the pair (n)."
    )
    return table(["Source", *(names[key] for key in keys)], lines, caption, f"winrates{at}")


def _win_rate(rate: Bounded, answers: int) -> str:
    ends = "" if rate.low is None else f" [{number(rate.low)}, {number(rate.high)}]"
    return f"{number(rate.value)}{ends} (n = {answers:,})"


def _bounded(found: Bounded) -> list[str]:
    ends = "--" if found.low is None else f"{number(found.low)} to {number(found.high)}"
    return [number(found.value), ends]


def _fitted(report: Report) -> str:
    """Return the models of the rankings: a study without ties has none of Davidson's."""
    found = {each.model.model == DAVIDSON: each.criterion for each in report.rankings}
    if len(found) == 2:
        return "Davidson's model where there are ties, otherwise the Bradley-Terry model"
    return "Davidson's model" if True in found else "the Bradley-Terry model, without ties"


def _differing(report: Report) -> str:
    """Return the pairs that differ, with the same confidence as the ranks."""
    said = []
    for each in report.rankings:
        if each.is_tested:
            with in_language("en"):
                pairs = differing_pairs(each, sources(report))
            said.append(f"{criterion(report, each.criterion)}: {'; '.join(pairs) or 'none'}")
    return f" Pairs that differ, with the same confidence: {'. '.join(said)}." if said else ""


def behaviours(report: Report) -> str:
    """Return the rates of behaviours, with a row per behaviour and a column per source."""
    found = [mean for row in report.behaviours for mean in row.rates.means]
    rated = {mean.source for mean in found}
    names = {key: name for key, name in sources(report).items() if key in rated}
    lines = []
    for row in report.behaviours:
        cells = {mean.source: _mean(mean) for mean in row.rates.means}
        lines.append([row.label, *(cells.get(key, "--") for key in names)])
    caption = f"{_head('Rates of behaviours', found, 'row')} {report.rules.get('behaviours', '')}"
    notes = _notes(report, (each.limits for each in found))
    return table(["Behaviour", *names.values()], lines, caption + notes, "behaviours") if lines else ""


def behaviour_agreement(report: Report) -> str:
    lines = []
    for row in report.behaviours:
        found = row.agreement
        alpha = interval(found.krippendorff_alpha, found.alpha)
        kappa = interval(found.fleiss_kappa, found.fleiss)
        sizes = map(str, (row.ticked, row.n_answers, found.n_items))
        lines.append([row.label, alpha, kappa, number(found.positive_agreement), *sizes])
    head = ["Behaviour", "Krippendorff's alpha", "Fleiss' kappa", "Positive agreement", "Ticked", "Answers", "Items"]
    ends = [each for row in report.behaviours for each in (row.agreement.alpha, row.agreement.fleiss)]
    caption = f"Agreement on behaviours{of_these(ends, ', with 95 % intervals')}."
    with in_language("en"):
        notes = interval_notes(ends, FEW_UNITS, withheld_sentence(ends))
    return table(head, lines, caption + notes, "behaviouragreement") if lines else ""
