"""The model behind the comparison of sources, in sentences for the methods section."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from measures.mixed.design import ALWAYS_AGREE, ANNOTATOR, ANNOTATOR_SOURCE, RESIDUAL
from parley.listing import both
from parley.numbers import number
from reporting.report.comparisons import NO_TASTE, SourceComparison
from reporting.report.model_words import (
    effect_name,
    left_out_sentences,
    shared_sentence,
    unequal_sentence,
    unsure_sentence,
    used_sentence,
    withheld,
)
from reporting.study.margins import AFTER_ANSWERS, BEFORE_ANSWERS, NOT_KNOWN

MARGIN_NAMED = {
    BEFORE_ANSWERS: gettext_noop("The margin was named before the first answer was given here."),
    AFTER_ANSWERS: gettext_noop(
        "The margin was set when the study had received answers of a pilot, or of an import that was taken back."
    ),
    NOT_KNOWN: gettext_noop(
        "Answers were imported, so Parley cannot tell whether the margin was named before they were known."
    ),
}
OF_ANNOTATORS = {ANNOTATOR, ANNOTATOR_SOURCE}


@dataclass(frozen=True, slots=True)
class _Group:
    """Criteria whose models have the same effects, and leave out the same ones."""

    rows: list[SourceComparison]
    names: dict[str, str]
    of_dialogues: bool

    @property
    def effects(self) -> list[str]:
        return [each.effect for each in self.rows[0].effects if each.effect != RESIDUAL]

    @property
    def is_crossed(self) -> bool:
        return len(OF_ANNOTATORS & set(self.effects)) not in (0, len(self.effects))

    @property
    def criteria(self) -> str:
        return _named(self.rows, self.names)

    @property
    def always_agrees(self) -> bool:
        return any(each.left_out == ALWAYS_AGREE for each in self.rows[0].left_out)

    def sentences(self) -> Iterable[str]:
        known = {"criteria": self.criteria, "ratings": _ratings(self.rows, self.names)}
        known["effects"] = both([effect_name(each, self.of_dialogues) for each in self.effects])
        if self.effects:
            yield _model(self) % known
        else:
            yield (_items_alone() if self.always_agrees else _without_model()) % known
        left_out = left_out_sentences(self.rows[0], self.of_dialogues)
        if self.effects and left_out:
            yield _("The model for %(criteria)s leaves out: %(effects)s.") % (known | {"effects": "; ".join(left_out)})
        if self.effects and self.always_agrees:
            yield _agreeing() % known


def model_sentences(
    rows: Iterable[SourceComparison],
    names: dict[str, str],
    sources: Mapping[str | None, str],
    *,
    has_dialogues_as_units: bool,
    margin_named: str | None = None,
) -> Iterable[str]:
    """Yield the method of all criteria; those with the same model share a sentence."""
    groups: dict[tuple[str, ...], list[SourceComparison]] = {}
    for row in rows:
        if row.means:
            left_out = left_out_sentences(row, has_dialogues_as_units)
            groups.setdefault((*(each.effect for each in row.effects), "", *left_out), []).append(row)
    found = [_Group(each, names, has_dialogues_as_units) for each in groups.values()]
    for group in found:
        yield from group.sentences()
    modelled = [row for group in found if group.effects or group.always_agrees for row in group.rows]
    if modelled:
        yield from _inference(modelled, names, of_dialogues=has_dialogues_as_units)
        yield from _equivalence(modelled, names, margin_named)
    for row in (row for group in found for row in group.rows):
        if few := shared_sentence(row, sources):
            yield f"{names[row.criterion]}: {few}"
        if row.unused or unsure_sentence(row):
            yield f"{names[row.criterion]}: {used_sentence(row)}"


def _named(rows: Iterable[SourceComparison], names: dict[str, str]) -> str:
    return both([names[row.criterion] for row in rows])


def _ratings(rows: list[SourceComparison], names: dict[str, str]) -> str:
    """Return what was fitted: each criterion has a model of its own."""
    sizes = {row.n_ratings for row in rows}
    if len(rows) == 1:
        return _("all %(n)s ratings") % {"n": f"{sizes.pop():,}"}
    if len(sizes) == 1:
        return _("all %(n)s ratings of each criterion") % {"n": f"{sizes.pop():,}"}
    each = "; ".join(f"{names[row.criterion]}: {row.n_ratings:,}" for row in rows)
    return _("all ratings of each criterion (%(numbers)s)") % {"numbers": each}


def _model(group: _Group) -> str:
    if group.is_crossed:
        return _(
            "For %(criteria)s, means of sources and their differences were estimated from %(ratings)s by a linear "
            "mixed model with a fixed effect of source and crossed random effects of %(effects)s (Baayen, Davidson "
            "and Bates 2008), fitted by restricted maximum likelihood."
        )
    if len(group.effects) > 1:
        return _(
            "For %(criteria)s, means of sources and their differences were estimated from %(ratings)s by a linear "
            "mixed model with a fixed effect of source and random effects of %(effects)s, fitted by restricted maximum "
            "likelihood."
        )
    return _(
        "For %(criteria)s, means of sources and their differences were estimated from %(ratings)s by a linear mixed "
        "model with a fixed effect of source and a random effect of %(effects)s, fitted by restricted maximum "
        "likelihood."
    )


def _agreeing() -> str:
    return _(
        "All annotators of an item always agree on %(criteria)s, so each item of a source counts once. That the "
        "intervals hold for new annotators rests on this: they assume no variance between annotators."
    )


def _items_alone() -> str:
    return _(
        "For %(criteria)s, all annotators of an item always agree in %(ratings)s, so each item of a source counts "
        "once: means of sources are means over items, with a common variance. That the intervals hold for new "
        "annotators rests on this: they assume no variance between annotators."
    )


def _without_model() -> str:
    return _(
        "For %(criteria)s, means of sources are plain means of %(ratings)s, without intervals and tests, because the "
        "design does not allow for a model."
    )


def _inference(found: list[SourceComparison], names: dict[str, str], *, of_dialogues: bool) -> Iterable[str]:
    if any(row.is_binary for row in found):
        yield _("Answers that are either positive or not were modelled as shares (a linear probability model).")
    yield _weights_of_dialogues() if of_dialogues else _weights_of_conversations()
    yield from _intervals(found, names, of_dialogues=of_dialogues)
    if any(pair.p is not None for row in found for pair in row.pairs):
        yield _(
            "p values are two-sided and were corrected over the pairs of sources of each criterion by Holm's method "
            "(1979); effect sizes are differences in standard deviations of one rating (Westfall, Kenny and Judd 2014)."
        )


def _equivalence(found: list[SourceComparison], names: dict[str, str], margin_named: str | None) -> Iterable[str]:
    """Yield the test of equivalence, if the study has a margin, and what is known of when it was named."""
    margins = [f"{names[row.criterion]} ±{number(row.margin)}" for row in found if row.margin]
    if margins and margin_named:
        yield _(
            "Equivalence was tested by two one-sided t tests (Schuirmann 1987) against a margin: %(margins)s; p values "
            "were corrected by Holm's method."
        ) % {"margins": both(margins)}
        yield _(MARGIN_NAMED[margin_named])


def _intervals(found: list[SourceComparison], names: dict[str, str], *, of_dialogues: bool) -> Iterable[str]:
    """Yield how intervals were made if there are any, and which criteria have none or few data."""
    if not all(row.withheld for row in found):
        yield _t_for_dialogues() if of_dialogues else _t_for_conversations()
        yield _("Intervals end where the scale ends, and those of differences at the largest possible difference.")
    alike = [row for row in found if NO_TASTE in row.warnings]
    if alike:
        yield _(
            "For %(criteria)s, the variance of annotator × source was estimated as 0. That the intervals hold for new "
            "annotators rests on this: they assume that annotators do not differ in which source they prefer."
        ) % {"criteria": _named(alike, names)}
    yield from _notes(found, [[row.withheld or ""] for row in found], names, of_dialogues)
    yield from _notes(found, [row.marks for row in found], names, of_dialogues)
    for row in found:
        if row.unequal:
            yield f"{names[row.criterion]}: {unequal_sentence(row)}"


def _notes(
    found: list[SourceComparison], notes: list[list[str]], names: dict[str, str], of_dialogues: bool
) -> Iterable[str]:
    """Yield each note once, with the criteria that it is about."""
    for note in dict.fromkeys(note for own in notes for note in own if note):
        rows = [row for row, own in zip(found, notes, strict=True) if note in own]
        yield f"{_named(rows, names)}: {withheld(note, of_dialogues)}"


def _weights_of_dialogues() -> str:
    return _(
        "In the model's means, a rating has less weight the more ratings share its annotator and its dialogue "
        "(generalised least squares)."
    )


def _weights_of_conversations() -> str:
    return _(
        "In the model's means, a rating has less weight the more ratings share its annotator and its conversation "
        "(generalised least squares)."
    )


def _t_for_dialogues() -> str:
    return _(
        "Intervals are 95 per cent t intervals with Satterthwaite's degrees of freedom (Kuznetsova, Brockhoff and "
        "Christensen 2017), for new annotators and new dialogues."
    )


def _t_for_conversations() -> str:
    return _(
        "Intervals are 95 per cent t intervals with Satterthwaite's degrees of freedom (Kuznetsova, Brockhoff and "
        "Christensen 2017), for new annotators and new conversations."
    )
