"""The comparison of sources in words: its model, what it left out, and why an interval is withheld."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext_lazy

from parley.listing import both
from parley.numbers import number
from reporting.report.comparisons import (
    ANNOTATORS_UNKNOWN,
    ANSWERS_UNUSED,
    EXCLUDING,
    NO_SOURCE_NAMED,
    UNSURE,
    SourceComparison,
    Variance,
)

EFFECTS = {
    "annotator": pgettext_lazy("a random effect", "annotator"),
    "annotator_source": pgettext_lazy("a random effect", "annotator × source"),
    "conversation": pgettext_lazy("a random effect", "conversation"),
    "conversation_source": pgettext_lazy("a random effect", "conversation × source"),
    "item": pgettext_lazy("a random effect", "dialogue"),
    "item_source": pgettext_lazy("a random effect", "dialogue × source"),
    "residual": pgettext_lazy("a random effect", "residual"),
}
# Where every dialogue is a conversation of its own.
OF_DIALOGUES = EFFECTS | {"conversation": EFFECTS["item"], "conversation_source": EFFECTS["item_source"]}
# Clauses that follow the name of an effect and a colon.
LEFT_OUT = {
    "residual": gettext_noop("one rating in each group, so it is part of the residual"),
    "single_group": gettext_noop("there is only one group"),
    "confounded_with_source": gettext_noop(
        "each source has groups of its own, so it cannot be told apart from the source"
    ),
    "not_identified": gettext_noop("unknown"),
    "always_agree": gettext_noop("all annotators of an item always agree, so each item counts once"),
}
WITHHELD = {
    "no_ratings": gettext_noop("No mean: the source has no ratings with a score."),
    "no_spread": gettext_noop("No interval: the answers do not vary within any source."),
    "single_annotator": gettext_noop(
        "No interval: a single annotator, or one for each source, says nothing about other annotators."
    ),
    "single_conversation": gettext_noop(
        "No interval: a single conversation, or one for each source, says nothing about other conversations."
    ),
    "no_residual": gettext_noop("No interval: the effects of the model explain every answer exactly."),
    "too_few_items": gettext_noop("No interval: there are too few ratings to estimate a variance."),
    "too_many_annotators": gettext_noop("No interval: the model has too many annotators for this server's memory."),
    "not_converged": gettext_noop("No interval: the model did not converge."),
    "unreliable": gettext_noop("The interval is unreliable with fewer than 3 annotators or 10 conversations."),
}
WITHHELD_SHORT = {
    "no_ratings": pgettext_lazy("why there is no interval", "no ratings"),
    "no_spread": pgettext_lazy("why there is no interval", "answers do not vary"),
    "single_annotator": pgettext_lazy("why there is no interval", "one annotator"),
    "single_conversation": pgettext_lazy("why there is no interval", "one conversation"),
    "no_residual": pgettext_lazy("why there is no interval", "nothing left to estimate from"),
    "too_few_items": pgettext_lazy("why there is no interval", "too few ratings"),
    "too_many_annotators": pgettext_lazy("why there is no interval", "too many annotators"),
    "not_converged": pgettext_lazy("why there is no interval", "model did not converge"),
}
UNUSED = {
    EXCLUDING: gettext_noop("%(n)s exclude the item"),
    UNSURE: gettext_noop("%(n)s are unsure and have no number"),
    NO_SOURCE_NAMED: gettext_noop("%(n)s are about items without a source"),
}


def effect_name(effect: str) -> str:
    return str(EFFECTS[effect])


def left_out_sentence(effect: Variance) -> str:
    if effect.beside:
        known = {"effect": effect_name(effect.effect), "beside": effect_name(effect.beside)}
        return _("%(effect)s: the same groups as %(beside)s, whose variance stands for both") % known
    return f"{effect_name(effect.effect)}: {_(LEFT_OUT[effect.left_out or ''])}"


def withheld(note: str | None) -> str:
    return _(WITHHELD[note]) if note in WITHHELD else ""


def withheld_short(note: str | None) -> str:
    return str(WITHHELD_SHORT.get(note or "", ""))


def used_sentence(row: SourceComparison) -> str:
    """Return how many answers are used, and how many are not and why."""
    used = ngettext("%(n)s answer is used.", "%(n)s answers are used.", row.n_ratings) % {"n": f"{row.n_ratings:,}"}
    if not row.unused:
        return used
    total = row.n_ratings + row.n_unused
    known = {
        "n": f"{row.n_unused:,}",
        "share": number(100 * row.n_unused / total, ".1f"),
        "reasons": both([_(UNUSED[each.reason]) % {"n": f"{each.n:,}"} for each in row.unused]),
    }
    return f"{used} {_('%(n)s (%(share)s %%) are left out: %(reasons)s.') % known}"


def warning_sentences(row: SourceComparison) -> Iterable[str]:
    if ANSWERS_UNUSED in row.warnings:
        yield used_sentence(row)
    if ANNOTATORS_UNKNOWN in row.warnings:
        yield _(
            "Every annotator gave one answer, so differences between annotators cannot be told apart from chance. If "
            "some people gave several answers under different names, the intervals are too narrow."
        )


def model_sentences(
    rows: Iterable[SourceComparison], names: dict[str, str], *, has_dialogues_as_units: bool
) -> Iterable[str]:
    """Yield the method of all criteria, with the names that a paper cites."""
    called = OF_DIALOGUES if has_dialogues_as_units else EFFECTS
    groups: dict[tuple[str, ...], list[SourceComparison]] = {}
    for row in rows:
        if row.means:
            groups.setdefault(tuple(each.effect for each in row.effects if each.effect != "residual"), []).append(row)
    modelled = {effects: group for effects, group in groups.items() if effects}
    for effects, group in groups.items():
        known = {
            "criteria": both([names[row.criterion] for row in group]),
            "effects": both([str(called[each]) for each in effects]),
            "n": f"{sum(row.n_ratings for row in group):,}",
        }
        yield (_model(known) if effects else _without_model(known))
    if modelled:
        found = [row for group in modelled.values() for row in group]
        yield from _inference(found, names, has_dialogues_as_units=has_dialogues_as_units)
    yield from (
        f"{names[row.criterion]}: {used_sentence(row)}" for group in groups.values() for row in group if row.unused
    )


def _model(known: dict[str, str]) -> str:
    return (
        _(
            "For %(criteria)s, means of sources and their differences were estimated from all %(n)s ratings by a "
            "linear mixed model with a fixed effect of source and crossed random effects of %(effects)s (Baayen, "
            "Davidson and Bates 2008), fitted by restricted maximum likelihood."
        )
        % known
    )


def _without_model(known: dict[str, str]) -> str:
    return (
        _(
            "For %(criteria)s, means of sources are plain means of %(n)s ratings, without intervals and tests, because "
            "the design does not allow for a model."
        )
        % known
    )


def _inference(found: list[SourceComparison], names: dict[str, str], *, has_dialogues_as_units: bool) -> Iterable[str]:
    if any(row.is_binary for row in found):
        yield _("Answers that are either positive or not were modelled as shares (a linear probability model).")
    yield from _of_dialogues() if has_dialogues_as_units else _of_conversations()
    if any(row.margin for row in found):
        yield _(
            "Equivalence was tested by two one-sided t tests (Schuirmann 1987) against a margin that was named before "
            "the first answer: %(margins)s; p values were corrected by Holm's method."
        ) % {"margins": both([f"{names[row.criterion]} ±{number(row.margin)}" for row in found if row.margin])}
    if any(row.pairs for row in found):
        yield _(
            "p values are two-sided and were corrected over the pairs of sources of each criterion by Holm's method "
            "(1979); effect sizes are differences in standard deviations of one rating (Westfall, Kenny and Judd 2014)."
        )


def _of_dialogues() -> Iterable[str]:
    yield _(
        "In the model's means, a rating has less weight the more ratings share its annotator and its dialogue "
        "(generalised least squares)."
    )
    yield _(
        "Intervals are 95 per cent t intervals with Satterthwaite's degrees of freedom (Kuznetsova, Brockhoff and "
        "Christensen 2017), for new annotators and new dialogues."
    )


def _of_conversations() -> Iterable[str]:
    yield _(
        "In the model's means, a rating has less weight the more ratings share its annotator and its conversation "
        "(generalised least squares)."
    )
    yield _(
        "Intervals are 95 per cent t intervals with Satterthwaite's degrees of freedom (Kuznetsova, Brockhoff and "
        "Christensen 2017), for new annotators and new conversations."
    )
