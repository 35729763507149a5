"""Cohen's kappa of every pair of annotators in one batch, pooled over sources and criteria."""

from dataclasses import asdict, dataclass, replace

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.agreement_cells import alike, for_agreement, places_of
from annotation.models import AgreementCell, Batch, Participant
from annotation.pairings import in_orders_of
from measures.arrays import CountArray
from measures.cohen import cohen_kappa
from measures.estimate import Estimate
from measures.intervals import guard_of
from measures.labels import WordScale
from measures.pairs import PairTable
from parley.numbers import number
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.board.rows import BoardData
from reporting.charts import HeatCell, heat_figure
from reporting.explained import (
    COUNTED,
    DEPENDENT_ITEMS,
    STATISTICS,
    WARNINGS,
    Figure,
    Statistic,
    headline,
    interval_lines,
    table_warnings,
    tone,
)
from reporting.labels import reason_sentence

KAPPA = replace(STATISTICS["cohen"], english_name=gettext_noop("Cohen's kappa"))
COHEN_MEANS = gettext_noop(
    "Agreement of two annotators beyond chance: 1 is perfect, 0 is what chance alone would give."
)
EQUAL = gettext_noop("How often the two gave the same answer. Not corrected for chance.")
ALONE = gettext_noop("Items that only one of the two has answered are left out.")
NO_CHANCE = gettext_noop("No interval: read this number together with kappa.")
STRONG_MEANS = gettext_noop(
    "Only items for which nobody chose an unsure option. Leaving out hard items usually raises kappa."
)
NO_STRONG_ITEMS = "no_strong_items"
MOST_ANNOTATORS = 30  # in the picture; a larger one cannot be read


@dataclass(frozen=True, slots=True)
class Pair:
    """The numbers of two annotators. `key` is for HTML ids: a pseudonym may contain any character."""

    key: str
    first: str
    second: str
    value: float | None
    n_items: int
    kappa: Figure
    common: Figure
    equal: Figure
    strong: Figure
    strong_common: Figure


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of one batch, pooled over `criteria`.

    `names` are the annotators in the picture, `n_annotators` counts all of them. `has_unsure`: the criteria have an
    unsure option.
    """

    batch: Batch
    word_scale: str
    criteria: tuple[CriterionSpec, ...]
    is_partial: bool
    names: tuple[str, ...]
    n_annotators: int
    pairs: tuple[Pair, ...]

    @property
    def has_unsure(self) -> bool:
        return any(places_of(criterion, Option.Role.UNSURE) for criterion in self.criteria)

    @property
    def scope(self) -> str:
        if self.is_partial:
            return ", ".join(criterion.name for criterion in self.criteria)
        return _("all criteria") if len(self.criteria) > 1 else self.criteria[0].name


def board_pairs(data: BoardData) -> Pairs | None:
    """Return the pairs of the chosen batch, by default of the first rated batch on the page; None if there is none."""
    batch = _batch(data)
    if batch is None:
        return None
    groups = alike(data.choice.scope.criteria)
    whole, table, strong, n_cells = _pooled_tables(batch, groups[0])
    kappa = replace(KAPPA, word_scale=data.choice.statistic.word_scale)
    shown = _shown(table)
    names = dict(Participant.objects.filter(pk__in=shown).values_list("pk", "pseudonym"))
    ordered = sorted(shown, key=lambda pk: names[pk])
    found = []
    for at, b in enumerate(ordered):
        for a in ordered[:at]:
            square = table.table(a, b)
            if square.any():
                couple = {"first": names[a], "second": names[b]}
                n_excluded = int(whole.table(a, b).sum() - square.sum())
                # Cells of several sources or criteria, and turns, have items that may share dialogues.
                sure, is_dependent = strong.table(a, b), n_cells > 1 or data.has_turns
                found.append(_pair(kappa, f"{a}-{b}", couple, square, sure, n_excluded, is_dependent=is_dependent))
    return Pairs(
        batch=batch,
        word_scale=kappa.word_scale,
        criteria=groups[0],
        is_partial=len(groups) > 1,
        names=tuple(names[pk] for pk in ordered),
        n_annotators=len(table.raters),
        pairs=tuple(found),
    )


def _batch(data: BoardData) -> Batch | None:
    chosen = data.choice.batch
    on_page = [line.batch for line in data.lines]
    named = [batch for batch in on_page if batch.key == chosen]
    if chosen and not named:
        named = list(data.study.batches.filter(key=chosen))
    rated = [batch for batch in on_page if data.cells.get(batch.pk)]
    rated.sort(key=lambda batch: batch.kind != Batch.Kind.MAIN)
    return next(iter(named or rated), None)


def _pooled_tables(batch: Batch, criteria: tuple[CriterionSpec, ...]) -> tuple[PairTable, PairTable, PairTable, int]:
    """Return the pairs of all answers, of those on the scale and of those on items without an unsure answer.

    The last two are in the orders in which their agreement is computed. The number counts the cells that were added up.
    """
    n = len(criteria[0].options)
    rows = AgreementCell.objects.filter(snapshot__batch=batch, criterion__in=[each.id for each in criteria])
    stored = list(rows.values_list("pairs", "sure_pairs", "pairings"))
    criterion = in_orders_of(criteria[0], [pairings for _pairs, _sure, pairings in stored])
    whole = PairTable.total_of_json((pairs for pairs, _sure, _pairings in stored), n)
    table = for_agreement(whole, criterion)[0]
    if not places_of(criterion, Option.Role.UNSURE):
        return whole, table, table, len(stored)
    strong = PairTable.total_of_json((sure for _pairs, sure, _pairings in stored), n)
    return whole, table, for_agreement(strong, criterion)[0], len(stored)


def _shown(table: PairTable) -> list[int]:
    """Return the annotators for the picture: all, or the MOST_ANNOTATORS with the lowest mean kappa."""
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


def _pair(
    statistic: Statistic,
    key: str,
    names: dict[str, str],
    square: CountArray,
    sure: CountArray,
    n_excluded: int,
    *,
    is_dependent: bool,
) -> Pair:
    """Return the numbers of two annotators from tables of their common answers.

    `square` has the answers on the scale, `sure` those on items without an unsure answer. `n_excluded` counts the
    answers left out because one of the two excludes the item. `is_dependent`: their items may share dialogues.
    """
    found = bounded(cohen_kappa(square), square, is_dependent)
    strong = bounded(cohen_kappa(sure), sure, is_dependent) if sure.any() else Estimate(None, NO_STRONG_ITEMS)
    n, equal = found.n_items, int(np.trace(square))
    between = _("%(first)s and %(second)s.") % names
    questions = _("Answers to the same question of the same item.")
    left_out = [_(ALONE)]
    if n_excluded:
        text = ngettext(
            "%(n)s common answer is left out: at least one of the two excludes the item.",
            "%(n)s common answers are left out: at least one of the two excludes the item.",
            n_excluded,
        )
        left_out.append(text % {"n": f"{n_excluded:,}"})
    return Pair(
        key=key,
        **names,
        value=found.value,
        n_items=n,
        kappa=_kappa_figure(statistic, names, found, square, (_(COHEN_MEANS), *left_out)),
        common=Figure(f"{n:,}", (between, questions, *left_out, _(COUNTED))),
        equal=Figure(number(equal / n, ".0%"), (between, _(EQUAL), _used(square), *left_out, _(NO_CHANCE))),
        strong=_kappa_figure(statistic, names, strong, sure, (_(STRONG_MEANS), *left_out)),
        strong_common=Figure(f"{int(sure.sum()):,}", (between, questions, _(STRONG_MEANS), *left_out, _(COUNTED))),
    )


def _kappa_figure(
    statistic: Statistic, names: dict[str, str], found: Estimate, square: CountArray, meaning: tuple[str, ...]
) -> Figure:
    """Return `found` with its explanation. `meaning` is a definition, then lines that are put after the interval."""
    means, *left_out = meaning
    warnings = tuple(_(WARNINGS[each]) for each in table_warnings(found, square))
    interval = interval_lines(statistic, asdict(found))
    if found.value is None:
        # Translators: "why" is a clause such as "there are no answers here yet".
        first = _("%(first)s and %(second)s: undefined, because %(why)s.")
        said = {"why": reason_sentence(found.reason)}
    else:
        # Translators: two annotators, and a sentence such as "Cohen's kappa 0.41, moderate."
        first = _("%(first)s and %(second)s: %(sentence)s")
        said = {"sentence": headline(statistic, found.value)}
    lines = (first % (names | said), means, *interval, _used(square), *left_out, *warnings)
    return Figure(number(found.value), lines, None, bool(warnings))


def _used(square: CountArray) -> str:
    sizes = {"n": f"{int(square.sum()):,}", "equal": f"{int(np.trace(square)):,}"}
    return _("%(n)s answers in common, %(equal)s of them equal.") % sizes


def bounded(kappa: Estimate, square: CountArray, is_dependent: bool) -> Estimate:
    """Return `kappa`, without its interval if the items may share dialogues or the interval cannot be shown."""
    if kappa.value is None:
        return kappa
    if is_dependent:
        return kappa.with_interval(None, None, DEPENDENT_ITEMS)
    is_shown, note = guard_of(square)
    return replace(kappa, interval_note=note) if is_shown else kappa.with_interval(None, None, note)


def pair_picture(pairs: Pairs) -> SafeString:
    """Return the heat map as SVG: a lower triangle with every pair once."""
    found = {(pair.first, pair.second): pair for pair in pairs.pairs}
    rows, columns = pairs.names[1:], pairs.names[:-1]

    def cell(pair: Pair | None) -> HeatCell | None:
        if pair is None:
            return None
        return HeatCell(pair.value, tone(pair.value, pair.n_items), " ".join(pair.kappa.lines))

    return heat_figure(
        name="board-pairs",
        title=_("Cohen's kappa of each pair of annotators in batch %(key)s") % {"key": pairs.batch.key},
        description=_("Each square is one pair of annotators. The list below has the same numbers."),
        rows=rows,
        columns=columns,
        cells=[[cell(found.get((column, row))) for column in columns] for row in rows],
        has_words=pairs.word_scale == WordScale.LANDIS_KOCH,
    )
