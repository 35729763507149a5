"""What readers see of the comparison of sources: means, differences, behaviours and rankings."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from parley.numbers import number, ratio
from parley.templatetags.numbers import share
from reporting.labels import reason_in_report
from reporting.report.frames import TABLES
from reporting.report.model_words import effect_name, left_out_sentences, withheld
from reporting.report.odds_words import why_none
from reporting.report.shown import parts
from reporting.report.shown.frames import Frames, Row
from reporting.report.shown.parts import criterion, value
from reporting.tables.cells import (
    DASH,
    PAGE,
    PAPER,
    TEXT,
    WIDE,
    Cell,
    Grid,
    Line,
    Shown,
    everywhere,
    grid,
    pivot,
    written,
)
from reporting.tables.columns import Format


class HasNames(Protocol):
    @property
    def names(self) -> Mapping[str, Mapping[Any, str]]: ...


def means(frames: Frames) -> Grid:
    """Return the main table: what a reader looks for first."""
    cells = {(row.source, row.criterion): parts.mean(row, frames) for row in frames.rows("means")}
    return frames.by_source(_("Table of means"), cells, frames.columns)


def difference_columns() -> list[Shown]:
    return [
        Shown(_("Criterion"), criterion, TEXT, where=PAPER),
        Shown(_("Sources"), parts.minus, TEXT, where=PAGE),
        Shown(_("Sources"), parts.less, TEXT, where=PAPER),
        Shown(_("Difference"), parts.difference, term="difference", where=PAGE),
        Shown(_("Difference"), "difference", where=PAPER),
        Shown("95 % interval", parts.difference_ends, where=PAPER),
        Shown(_("p, Holm"), parts.holm(), term="p_holm"),
        Shown("p", "p", term="p", where=PAGE),
        Shown(_("Effect size"), "effect", term="effect"),
        Shown(_("Degrees of freedom"), "degrees_of_freedom", term="df", where=PAGE),
        Shown("df", "degrees_of_freedom", where=PAPER),
        Shown(_("Answers"), "n_ratings", term="n", where=PAGE),
    ]


def differences(frames: Frames, key: str) -> Grid:
    """Return the differences on a criterion, with the test of equivalence and the check where there are any."""
    rows, shown = frames.rows("comparisons", criterion=key), difference_columns()
    if rows[0].equivalence_margin:
        within = _("Within ±%(margin)s: p, Holm") % {"margin": number(rows[0].equivalence_margin)}
        said = pgettext("two sources", "equivalent")
        shown.append(Shown(within, parts.holm("equivalence_p_holm", said), term="equivalence"))
    if any(_is_partly_shared(row) for row in rows):
        shown.append(Shown(_("Annotators of both"), _annotators, term="annotators_of_both"))
    if any(row.check is not None for row in rows):
        shown.append(Shown(pgettext("of a difference", "Check"), value("check"), term="check"))
    label = _("Differences: %(name)s") % {"name": frames.names["criteria"][key]}
    return frames.grid("comparisons", label, shown, rows)


def _is_partly_shared(row: Row) -> bool:
    return row.annotators_both is not None and row.annotators_both < max(row.annotators_a, row.annotators_b)


def _annotators(row: Row, _frames: Frames) -> Cell:
    n, a, b = (written(getattr(row, f"annotators_{each}"), Format.COUNT) for each in ("both", "a", "b"))
    return Cell(n, [everywhere(_("of %(a)s and %(b)s") % {"a": a, "b": b})])


def all_differences(frames: Frames) -> Grid:
    return frames.grid("comparisons", "", difference_columns(), place=PAPER)


def equivalence(frames: Frames) -> Grid:
    """Return the tests of equivalence for a paper, whose table of differences has no room for them."""
    said = pgettext("two sources", "equivalent")
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Sources"), parts.less, TEXT),
        Shown("Margin", lambda row, _frames: Cell(f"±{number(row.equivalence_margin)}")),
        Shown(_("p, Holm"), parts.holm("equivalence_p_holm", said)),
    ]
    rows = [row for row in frames.rows("comparisons") if row.equivalence_p_holm is not None]
    return frames.grid("comparisons", "", shown, rows, PAPER)


def variances(frames: Frames) -> Grid:
    shown = [
        Shown(_("Random effect"), "effect", TEXT),
        Shown(_("Standard deviation"), "sd"),
        Shown(_("Variance"), "variance"),
        Shown(_("Groups"), "n_groups"),
    ]
    return frames.grid("variances", "", shown)


def odds_ratios(frames: Frames, place: str = PAGE) -> Grid:
    """Return the odds ratios of the criteria whose answers are of two kinds."""
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Sources"), parts.over, TEXT),
        Shown(_("Odds ratio"), _odds, term="odds_ratio"),
        Shown(_("p, Holm"), parts.holm(), term="p_holm"),
        Shown("p", "p", term="p", where=PAGE),
        Shown(_("Answers"), "n_ratings", term="n"),
    ]
    return frames.grid("odds_ratios", _("Table of odds ratios"), shown, place=place)


def _odds(row: Row, _frames: Frames) -> Cell:
    if row.odds_ratio is None:
        return Cell(DASH, [everywhere(why_none(row.reason))])
    return Cell(ratio(row.odds_ratio), [parts.interval(ratio(row.low), ratio(row.high))])


def models(frames: Frames) -> Grid:
    """Return the models behind the means: the answers that they use, and their random effects."""
    modelled = {row.criterion for row in frames.rows("means")}
    rows = [row for row in frames.rows("ratings_used") if row.criterion in modelled]
    effects = _("Standard deviation of each effect, and what the design cannot tell apart")
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Answers used"), parts.counted("n_ratings", "n_unused", parts.left_out), term="n"),
        Shown(_("Annotators"), "n_annotators"),
        Shown(_("Dialogues") if frames.of_dialogues else _("Conversations"), "n_conversations"),
        Shown(effects, _effects, WIDE, term="effects"),
    ]
    return frames.grid("ratings_used", _("Table of models"), shown, rows)


def _effects(row: Row, frames: Frames) -> Cell:
    """Return the standard deviation of each effect, and below it the effects that the design cannot tell apart."""
    found = next(each for each in frames.report.comparisons if each.criterion == row.criterion)
    effects = frames.rows("variances", criterion=row.criterion, left_out=None)
    known = [f"{effect_name(each.effect, frames.of_dialogues)} {number(each.sd)}" for each in effects]
    lines = [Line(_("left out: %(why)s") % {"why": why}) for why in left_out_sentences(found, frames.of_dialogues)]
    return Cell("; ".join(known) or withheld(found.withheld, frames.of_dialogues), lines)


def behaviours(frames: Frames) -> Grid:
    """Return the rates with a row per behaviour and a column per source: there may be more behaviours than fit."""
    whole = {(*_key(row), row.source): row for row in frames.rows("behaviours", unit="conversations")}
    cells = {
        (_key(row), row.source): _rate(row, whole.get((*_key(row), row.source)), frames)
        for row in frames.rows("behaviours", unit="answers")
    }
    asked = frames.rows("behaviour_agreement")
    names = {_key(row): Cell(row.label, [Line(criterion(row, frames).text)]) for row in asked}
    return pivot(_("Table of behaviours"), _("Behaviour"), cells, names, frames.names["sources"])


def _key(row: Row) -> tuple[str, str]:
    return row.criterion, row.option


def _rate(row: Row, whole: Row | None, frames: Frames) -> Cell:
    cell = parts.mean(row, frames)
    if whole:
        said = _("conversations: %(rate)s") if whole.low is None else _("conversations: %(rate)s (%(low)s to %(high)s)")
        known = {"rate": number(whole.mean), "low": number(whole.low), "high": number(whole.high)}
        cell.lines.append(Line(said % known))
    return cell


def behaviour_differences(frames: Frames) -> Grid:
    labels = {each.key: each.label for each in frames.report.behaviours}
    shown = [
        Shown(_("Behaviour"), lambda row, _frames: Cell(labels[row.criterion]), TEXT),
        *(each for each in difference_columns() if each.where != PAPER and each.term not in ("effect", "df")),
    ]
    return frames.grid("behaviour_differences", _("Differences in behaviours"), shown)


def behaviour_agreement(frames: Frames) -> Grid:
    alpha = parts.coefficient("krippendorff_alpha", "alpha", "alpha_reason")
    kappa = parts.coefficient("fleiss_kappa", "fleiss", "kappa_reason")
    shown = [
        Shown(_("Behaviour"), "label", TEXT),
        Shown(_("Krippendorff's alpha"), alpha, term="alpha"),
        Shown(_("Fleiss' kappa"), kappa, term="fleiss"),
        Shown(_("Positive agreement"), value("positive_agreement", "positive_reason"), term="positive_agreement"),
        Shown(pgettext("answers", "Ticked"), "ticked"),
        Shown(_("Answers"), "n_answers"),
        Shown(_("Items"), parts.counted("n_items", "n_left_out", parts.with_one_vote), term="agreement_items"),
    ]
    return frames.grid("behaviour_agreement", _("Agreement on behaviours"), shown)


def pairings(rows: Iterable[Any], about: HasNames, criterion: str, place: str = PAGE) -> Grid:
    """Return the answers to a criterion about each pair of sources, which the board has without a report."""
    shown = [
        Shown(_("A and B"), _both, TEXT),
        Shown(_("A is preferred"), "prefers_a"),
        Shown(_("B is preferred"), "prefers_b"),
        Shown(_("Equal"), "equal"),
        Shown(_("Both bad"), _both_bad, term="both_bad"),
        Shown(_("Other answers"), "other", where=PAGE),
        Shown(_("Answers"), "answers"),
        Shown(_("Identical texts, not shown"), "identical", where=PAGE),
    ]
    label = _("Answers to comparisons: %(name)s") % {"name": criterion}
    return grid(label, shown, rows, about, TABLES["pairings"].formats, place)


def _both(row: Row, about: HasNames) -> Cell:
    names = about.names["sources"]
    return Cell(_("%(first)s and %(second)s") % {"first": names[row.source_a], "second": names[row.source_b]})


def _both_bad(row: Row, _about: HasNames) -> Cell:
    n = written(row.both_bad, Format.COUNT)
    return Cell(f"{n}{parts.NBSP}({written(row.both_bad / row.answers, Format.SHARE)})" if row.both_bad else n)


def ranking_columns() -> list[Shown]:
    return [
        Shown(_("Criterion"), criterion, TEXT, where=PAPER),
        Shown(_("Source"), _ranked, TEXT),
        Shown(_("Strength, log scale"), value("strength"), term="strength"),
        Shown(_("Strength, Elo scale"), "elo", term="elo"),
        Shown(_("Expected win rate"), value("win_rate"), term="win_rate"),
        Shown(_("Rank"), _rank, term="rank"),
        Shown(_("Strength at equal length"), _at_equal_length, term="equal_length", where=PAGE),
        Shown(_("Answers"), "answers", term="n"),
    ]


def _ranked(row: Row, frames: Frames) -> Cell:
    why = [Line(reason_in_report(row.reason))] if row.reason else []
    return Cell(frames.names["sources"][row.source], why)


def _rank(row: Row, _frames: Frames) -> Cell:
    if row.best_rank is None:
        return Cell(DASH)
    best, worst = str(row.best_rank), str(row.worst_rank)
    return Cell(best if best == worst else parts.to(best, worst))


def _at_equal_length(row: Row, frames: Frames) -> Cell:
    (model,) = frames.rows("preference_models", criterion=row.criterion)
    return parts.number_of(row, "strength_at_equal_length", model.length_reason)


def ranking(frames: Frames, key: str) -> Grid:
    label = _("Ranking: %(name)s") % {"name": frames.names["criteria"][key]}
    return frames.grid("rankings", label, ranking_columns(), frames.rows("rankings", criterion=key))


def all_rankings(frames: Frames) -> Grid:
    return frames.grid("rankings", "", ranking_columns(), place=PAPER)


def win_rates(frames: Frames, key: str) -> Grid:
    """Return the expected score of each row against each column, in the order of the ranking."""
    names = {row.source: frames.names["sources"][row.source] for row in frames.rows("rankings", criterion=key)}
    cells = {(source, source): Cell("") for source in names}
    for row in frames.rows("win_rates", criterion=key):
        ends = (row.win_rate, row.win_rate_low, row.win_rate_high)
        cells[row.source_a, row.source_b] = _against(row, *ends)
        turned = (None if each is None else 1 - each for each in (ends[0], ends[2], ends[1]))
        cells[row.source_b, row.source_a] = _against(row, *turned)
    label = _("Expected win rates: %(name)s") % {"name": frames.names["criteria"][key]}
    rows = {source: Cell(name) for source, name in names.items()}
    return pivot(label, _("Source"), cells, rows, names, Cell(""))


def _against(row: Row, rate: float | None, low: float | None, high: float | None) -> Cell:
    lines = [] if low is None else [parts.interval(share(low), share(high))]
    if not row.answers and rate is not None:
        lines.append(everywhere(pgettext("two sources", "not compared directly")))
    else:
        lines.append(Line("", printed=f"n {written(row.answers, Format.COUNT)}"))
    return Cell(share(rate), lines)
