"""The comparison of sources in words: its model, what it left out, and why an interval is withheld."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext, pgettext_lazy

from measures.mixed.shared import SharedAnnotators
from parley.listing import both
from parley.numbers import number
from reporting.report.comparisons import (
    ANNOTATORS_UNKNOWN,
    ANSWERS_UNUSED,
    FEW_SHARED,
    NO_TASTE,
    UNEQUAL_VARIANCES,
    SourceComparison,
    SourcePair,
    Variance,
)
from reporting.report.odds import MOST_RATINGS
from reporting.report.unused import EXCLUDING, NO_SOURCE_NAMED, UNSURE
from reporting.study.scores import POSITIVE_SHARE

EFFECTS = {
    "annotator": pgettext_lazy("a random effect", "annotator"),
    "annotator_source": pgettext_lazy("a random effect", "annotator × source"),
    "conversation": pgettext_lazy("a random effect", "conversation"),
    "conversation_source": pgettext_lazy("a random effect", "conversation × source"),
    "item": pgettext_lazy("a random effect", "dialogue"),
    "item_source": pgettext_lazy("a random effect", "dialogue × source"),
    "residual": pgettext_lazy("a random effect", "residual"),
}
# Where every dialogue is a conversation of its own. Items are then responses, if a source has several to a dialogue.
OF_DIALOGUES = EFFECTS | {
    "conversation": EFFECTS["item"],
    "conversation_source": EFFECTS["item_source"],
    "item": pgettext_lazy("a random effect", "response"),
    "item_source": pgettext_lazy("a random effect", "response × source"),
}
ITEM_EFFECTS = {"item": "conversation", "item_source": "conversation_source"}
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
    "unreliable": gettext_noop("Few data: with fewer than 3 annotators or 10 conversations, an interval is rough."),
    "rare_answer": gettext_noop(
        "Rare answer: a source has fewer than 5 positive answers, or fewer than 5 others, so that its intervals can be "
        "far too narrow."
    ),
    "beyond_scale": gettext_noop(
        "The model estimates a mean outside of the scale, and the end of the scale is shown instead."
    ),
}
WITHHELD_OF_DIALOGUES = WITHHELD | {
    "single_conversation": gettext_noop(
        "No interval: a single dialogue, or one for each source, says nothing about other dialogues."
    ),
    "unreliable": gettext_noop("Few data: with fewer than 3 annotators or 10 dialogues, an interval is rough."),
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
MARKS = {
    "rare_answer": pgettext_lazy("an interval", "rare answer"),
    "beyond_scale": pgettext_lazy("an interval", "beyond the scale"),
}
ONE_DIALOGUE = pgettext_lazy("why there is no interval", "one dialogue")
UNUSED = {
    EXCLUDING: gettext_noop("%(n)s exclude the item"),
    UNSURE: gettext_noop("%(n)s are unsure and have no number"),
    NO_SOURCE_NAMED: gettext_noop("%(n)s are about items without a source"),
}


# `of_dialogues`: every dialogue is a conversation of its own, and is called a dialogue.
def effect_name(effect: str, of_dialogues: bool) -> str:
    return str((OF_DIALOGUES if of_dialogues else EFFECTS)[effect])


def left_out_sentences(row: SourceComparison, of_dialogues: bool) -> list[str]:
    """Return the effects that the design cannot tell apart, each with its reason."""
    reasons = {each.effect: each.left_out for each in row.left_out}
    shown = [each for each in row.left_out if not (of_dialogues and _is_of_dialogues(each, reasons))]
    return [_left_out(each, of_dialogues) for each in shown]


def _is_of_dialogues(effect: Variance, reasons: Mapping[str, str | None]) -> bool:
    """Return whether an effect of items is that of dialogues, which would be named twice."""
    other = ITEM_EFFECTS.get(effect.effect)
    return other is not None and (effect.beside in ITEM_EFFECTS.values() or reasons.get(other) == effect.left_out)


def _left_out(effect: Variance, of_dialogues: bool) -> str:
    name = effect_name(effect.effect, of_dialogues)
    if effect.beside:
        known = {"effect": name, "beside": effect_name(effect.beside, of_dialogues)}
        return _("%(effect)s: the same groups as %(beside)s, whose variance stands for both") % known
    return f"{name}: {_(LEFT_OUT[effect.left_out or ''])}"


def withheld(note: str | None, of_dialogues: bool) -> str:
    sentences = WITHHELD_OF_DIALOGUES if of_dialogues else WITHHELD
    return _(sentences[note]) if note in sentences else ""


def withheld_short(note: str | None, of_dialogues: bool) -> str:
    if of_dialogues and note == "single_conversation":
        return str(ONE_DIALOGUE)
    return str(WITHHELD_SHORT.get(note or "", ""))


def mark_of(note: str | None) -> str:
    """Return the words for an interval that is shown but marked; nothing for one without a mark."""
    return str(MARKS.get(note or "", pgettext("an interval", "few data"))) if note else ""


def used_sentence(row: SourceComparison) -> str:
    """Return how many answers are used, how many count as not positive because unsure, and how many are left out."""
    used = ngettext("%(n)s answer is used.", "%(n)s answers are used.", row.n_ratings) % {"n": f"{row.n_ratings:,}"}
    return " ".join(filter(None, [used, unsure_sentence(row), _unused_sentence(row)]))


def unsure_sentence(row: SourceComparison) -> str:
    """Return how many of the answers used are unsure and score 0; nothing without any."""
    n = row.n_unsure_not_positive
    sentence = ngettext("%(n)s unsure answer counts as not positive.", "%(n)s unsure answers count as not positive.", n)
    return sentence % {"n": f"{n:,}"} if n else ""


def scale_sentences(rows: Iterable[SourceComparison], names: Mapping[str, str]) -> list[str]:
    """Return what the means of each criterion are, and the unsure answers in shares; equal scales share a sentence."""
    rows = [row for row in rows if row.means]
    scales: dict[tuple[str | None, float | None, float | None], list[str]] = {}
    for row in rows:
        scales.setdefault((row.score, row.scale_low, row.scale_high), []).append(names[row.criterion])
    found = [_scale(score, both(group), low, high) for (score, low, high), group in scales.items()]
    return found + [f"{names[row.criterion]}: {unsure_sentence(row)}" for row in rows if row.n_unsure_not_positive]


def _scale(score: str | None, criteria: str, low: float | None, high: float | None) -> str:
    if score == POSITIVE_SHARE:
        return _("%(criteria)s: share of positive answers, from 0 to 1.") % {"criteria": criteria}
    known = {"criteria": criteria, "low": _point(low), "high": _point(high)}
    return _("%(criteria)s: mean on the scale from %(low)s to %(high)s.") % known


def _point(value: float | None) -> str:
    """Return a point of a scale, without decimals that it does not have."""
    return number(int(value) if value is not None and value.is_integer() else value, "")


def _unused_sentence(row: SourceComparison) -> str:
    if not row.unused:
        return ""
    known = {
        "n": f"{row.n_unused:,}",
        "share": number(100 * row.n_unused / (row.n_ratings + row.n_unused), ".1f"),
        "reasons": both([_(UNUSED[each.reason]) % {"n": f"{each.n:,}"} for each in row.unused]),
    }
    return _("%(n)s (%(share)s %%) are left out: %(reasons)s.") % known


def warnings_of(rows: Iterable[SourceComparison], sources: Mapping[str | None, str]) -> dict[str, list[str]]:
    """Return {sentence: the criteria that it warns of}."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for sentence in _warning_sentences(row, sources):
            found.setdefault(sentence, []).append(row.criterion)
    return found


def _warning_sentences(row: SourceComparison, sources: Mapping[str | None, str]) -> Iterable[str]:
    if FEW_SHARED in row.warnings:
        yield shared_sentence(row, sources)
    if ANSWERS_UNUSED in row.warnings:
        yield used_sentence(row)
    if ANNOTATORS_UNKNOWN in row.warnings and any(each.limits.low is not None for each in row.means):
        yield _(
            "Every annotator gave one answer, so differences between annotators cannot be told apart from chance. If "
            "some people gave several answers under different names, the intervals are too narrow."
        )
    if NO_TASTE in row.warnings:
        people = ngettext("%(n)s annotator", "%(n)s annotators", row.n_annotators) % {"n": f"{row.n_annotators:,}"}
        yield _(
            "The variance of annotator × source is estimated as 0, from %(annotators)s. The intervals hold for new "
            "annotators only if these do not differ in which source they prefer, either."
        ) % {"annotators": people}
    if UNEQUAL_VARIANCES in row.warnings and row.unequal:
        yield f"{unequal_sentence(row)} {_where_odds_are(row)}"


def _where_odds_are(row: SourceComparison) -> str:
    if row.is_binary and row.n_ratings <= MOST_RATINGS:
        return _("Odds ratios do not assume equal variances: they are below the differences between sources.")
    return _(
        "Odds ratios do not assume equal variances: run the command compare with --odds-ratios on the exported answers."
    )


def unequal_sentence(row: SourceComparison) -> str:
    """Return which intervals are too narrow and too wide; nothing if one variance suits all sources."""
    found = row.unequal
    if found is None:
        return ""
    sentence = _(
        "The answers about one source vary so much more than those about another that one variance does not suit all "
        "sources: the largest is %(ratio)s times the smallest. Intervals are too narrow for %(narrow)s and too wide "
        "for %(wide)s, and p values between sources can be too small."
    )
    if row.is_binary:
        sentence = _(
            "The shares differ so much that one variance does not suit all sources: the largest is %(ratio)s times "
            "the smallest. Intervals are too narrow for %(narrow)s and too wide for %(wide)s, and p values between "
            "sources can be too small."
        )
    known = {"narrow": both(found.too_narrow), "wide": both(found.too_wide)}
    return sentence % (known | {"ratio": number(found.ratio, ".1f")})


def shared_sentence(row: SourceComparison, sources: Mapping[str | None, str]) -> str:
    """Return which differences rest on few annotators who rated both sources; nothing without any."""
    few = [_shared(pair, pair.shared, sources) for pair in row.pairs if pair.shared and pair.shared.are_few]
    sentence = _(
        "Few annotators rated both sources of a pair, so a difference between them can be one between annotators. "
        "Annotators of each, and of both: %(pairs)s."
    )
    return sentence % {"pairs": "; ".join(few)} if few else ""


def _shared(pair: SourcePair, n: SharedAnnotators, sources: Mapping[str | None, str]) -> str:
    known = {"a": sources[pair.source_a], "n_a": f"{n.a:,}", "b": sources[pair.source_b], "n_b": f"{n.b:,}"}
    return _("%(a)s (%(n_a)s) and %(b)s (%(n_b)s): %(n)s") % (known | {"n": f"{n.both:,}"})
