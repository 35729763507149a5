"""Who agrees with whom in one batch: Cohen's kappa of every pair of annotators, pooled over sources and criteria."""

from dataclasses import asdict, dataclass, replace

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.figures import alike
from annotation.models import AgreementCell, Batch, Participant
from measures.arrays import IntArray
from measures.cohen import cohen_kappa
from measures.estimate import Estimate
from measures.pairs import PairTable
from protocols.specs import CriterionSpec
from reporting.explanations import (
    COUNTED,
    DEPENDENT_ITEMS,
    FEWEST_FOR_COLOUR,
    STATISTICS,
    WARNINGS,
    Figure,
    headline,
    interval_lines,
    table_warnings,
)
from reporting.figures import HeatCell, heat_figure
from reporting.figures.drawing import number, tone_of
from reporting.selectors.board import BoardData
from reporting.selectors.board_annotators import guard_of
from reporting.words import reason_sentence

KAPPA = replace(STATISTICS["cohen"], english_name=gettext_noop("Cohen's kappa"))
COHEN_MEANS = gettext_noop(
    "Agreement of two annotators beyond chance: 1 is perfect, 0 is what chance alone would give."
)
EQUAL = gettext_noop("How often the two gave the same answer. Not corrected for chance.")
ALONE = gettext_noop("Left out are items that only one of the two has answered.")
NO_CHANCE = gettext_noop("No interval: it stands beside kappa to be read with it.")
MOST_ANNOTATORS = 30  # in the picture; a larger one cannot be read


@dataclass(frozen=True, slots=True)
class Pair:
    """`key` makes ids: a pseudonym may hold anything."""

    key: str
    first: str
    second: str
    value: float | None
    n_items: int
    kappa: Figure
    common: Figure
    equal: Figure


@dataclass(frozen=True, slots=True)
class Pairs:
    """`criteria` are those pooled here; `n_annotators` are all, of whom the picture may show fewer."""

    batch: Batch
    criteria: tuple[CriterionSpec, ...]
    is_partial: bool
    names: tuple[str, ...]
    n_annotators: int
    pairs: tuple[Pair, ...]

    @property
    def scope(self) -> str:
        if self.is_partial:
            return ", ".join(criterion.name for criterion in self.criteria)
        return _("all criteria") if len(self.criteria) > 1 else self.criteria[0].name


def board_pairs(data: BoardData) -> Pairs | None:
    """The pairs of the chosen batch, or of the first of the page with ratings; None when there is none."""
    batch = _batch(data)
    if batch is None:
        return None
    groups = alike(data.choice.criteria)
    table, n_cells = _pooled_table(batch, groups[0])
    shown = _shown(table)
    names = dict(Participant.objects.filter(pk__in=shown).values_list("pk", "pseudonym"))
    ordered = sorted(shown, key=lambda pk: names[pk])
    squares = [(a, b, table.table(a, b)) for at, b in enumerate(ordered) for a in ordered[:at]]
    found = [_pair(f"{a}-{b}", names[a], names[b], square, n_cells > 1) for a, b, square in squares if square.any()]
    return Pairs(batch, groups[0], len(groups) > 1, tuple(names[pk] for pk in ordered), len(table.raters), tuple(found))


def _batch(data: BoardData) -> Batch | None:
    chosen = data.choice.batch
    on_page = [line.batch for line in data.lines]
    named = [batch for batch in on_page if batch.key == chosen]
    if chosen and not named:
        named = list(data.study.batches.filter(key=chosen))
    rated = [batch for batch in on_page if data.cells.get(batch.pk)]
    rated.sort(key=lambda batch: batch.kind != Batch.Kind.MAIN)
    return next(iter(named or rated), None)


def _pooled_table(batch: Batch, criteria: tuple[CriterionSpec, ...]) -> tuple[PairTable, int]:
    """And of how many criteria and sources it is."""
    n = len(criteria[0].options)
    rows = AgreementCell.objects.filter(snapshot__batch=batch, criterion__in=[each.id for each in criteria])
    stored = list(rows.values_list("pairs", flat=True))
    return PairTable.total_of_json(stored, n), len(stored)


def _shown(table: PairTable) -> list[int]:
    """Annotators of the picture: all, or those with the lowest mean kappa."""
    raters = table.raters.tolist()
    if len(raters) <= MOST_ANNOTATORS:
        return raters
    number_of = {rater: at for at, rater in enumerate(raters)}
    pairs = np.array([[number_of[int(pk)] for pk in key.split(",")] for key in table.to_json()])
    kappas = table.kappas()
    defined = np.isfinite(kappas)
    places, values = pairs[defined].ravel(), np.repeat(kappas[defined], 2)
    counts = np.bincount(places, minlength=len(raters))
    means = np.bincount(places, values, len(raters)) / np.maximum(counts, 1)
    means[counts == 0] = np.inf
    return [raters[at] for at in np.argsort(means, kind="stable")[:MOST_ANNOTATORS]]


def _pair(key: str, first: str, second: str, square: IntArray, is_dependent: bool) -> Pair:
    found = bounded(cohen_kappa(square), square, is_dependent)
    equal = int(np.trace(square))
    sizes = {"n": f"{found.n_items:,}", "equal": f"{equal:,}"}
    used = _("%(n)s answers in common, %(equal)s of them equal.") % sizes
    warnings = tuple(_(WARNINGS[each]) for each in table_warnings(found, square))
    between = _("%(first)s and %(second)s.") % {"first": first, "second": second}
    lines = (_first_line(first, second, found), _(COHEN_MEANS), *interval_lines(KAPPA, asdict(found)), used, _(ALONE))
    text = number(found.value)
    return Pair(
        key=key,
        first=first,
        second=second,
        value=found.value,
        n_items=found.n_items,
        kappa=Figure(text, (*lines, *warnings), None, bool(warnings)),
        common=Figure(sizes["n"], (between, _("Answers to the same question of the same item."), _(ALONE), _(COUNTED))),
        equal=Figure(number(equal / found.n_items, ".0%"), (between, _(EQUAL), used, _(ALONE), _(NO_CHANCE))),
    )


def bounded(kappa: Estimate, square: IntArray, is_dependent: bool) -> Estimate:
    """With its interval where one can be shown: answers about the same dialogue are not independent."""
    if kappa.value is None:
        return kappa
    if is_dependent:
        return kappa.with_interval(None, None, DEPENDENT_ITEMS)
    is_shown, note = guard_of(square)
    return replace(kappa, interval_note=note) if is_shown else kappa.with_interval(None, None, note)


def _first_line(first: str, second: str, found: Estimate) -> str:
    said = {"first": first, "second": second}
    if found.value is None:
        # Translators: "why" is a clause such as "there are no answers here yet".
        return _("%(first)s and %(second)s: Undefined, because %(why)s.") % (
            said | {"why": reason_sentence(found.reason)}
        )
    # Translators: two annotators, and a sentence such as "Cohen's kappa 0.41, moderate."
    return _("%(first)s and %(second)s: %(sentence)s") % (said | {"sentence": headline(KAPPA, found.value)})


def pair_picture(pairs: Pairs) -> SafeString:
    """The lower triangle: every pair once."""
    found = {(pair.first, pair.second): pair for pair in pairs.pairs}
    rows, columns = pairs.names[1:], pairs.names[:-1]
    cells = [[_heat_cell(found.get((column, row))) for column in columns] for row in rows]
    return heat_figure(
        name="board-pairs",
        title=_("Cohen's kappa of each pair of annotators in batch %(key)s") % {"key": pairs.batch.key},
        description=_("Every square is one pair; the list below has the same numbers."),
        rows=rows,
        columns=columns,
        cells=cells,
    )


def _heat_cell(pair: Pair | None) -> HeatCell | None:
    if pair is None:
        return None
    tone = tone_of(pair.value) if pair.n_items >= FEWEST_FOR_COLOUR else None
    return HeatCell(pair.value, tone, " ".join(pair.kappa.lines))
