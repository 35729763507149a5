"""What a comparison says of itself in English: its method in one paragraph that can be cited, and what it left out."""

from collections.abc import Sequence

from measures.mixed.design import (
    ALWAYS_AGREE,
    ANNOTATOR,
    ANNOTATOR_SOURCE,
    CONFOUNDED,
    CONVERSATION,
    CONVERSATION_SOURCE,
    ITEM,
    ITEM_SOURCE,
    NOT_IDENTIFIED,
    RESIDUAL,
    SAME_GROUPS,
    SINGLE_GROUP,
    LeftOut,
)
from measures.mixed.sources import BY_MODEL, SourceComparison

EFFECT_NAMES = {
    ANNOTATOR: "annotator",
    ANNOTATOR_SOURCE: "annotator x source",
    CONVERSATION: "conversation",
    CONVERSATION_SOURCE: "conversation x source",
    ITEM: "item",
    ITEM_SOURCE: "item x source",
}
ITEMS_ALONE = {CONVERSATION: "item", CONVERSATION_SOURCE: "item x source"}
REASONS = {
    RESIDUAL: "one rating in each, so it is part of the residual",
    SINGLE_GROUP: "there is only one",
    CONFOUNDED: "each source has its own and no other, so it cannot be told apart from the sources",
    NOT_IDENTIFIED: "not identified",
    ALWAYS_AGREE: "all annotators of an item always gave the same answer, so each item counts once",
}
WITHHELD = {
    "no_ratings": "there are no ratings",
    "no_spread": "the answers do not vary within any source",
    "single_annotator": "one annotator, or one for each source, says nothing of other annotators",
    "single_conversation": "one conversation or item, or one for each source, says nothing of others",
    "too_few_items": "too few ratings are left to estimate a variance (less than one degree of freedom)",
    "too_many_annotators": "so many annotators meet that the model's equations are too large",
    "no_residual": "the effects explain every answer exactly, so nothing is left to estimate a variance from",
    "not_converged": "the model did not converge",
}


def effect_name(effect: str, *, has_conversations: bool) -> str:
    """Return the name of an effect. Without conversations their place is taken by the items themselves."""
    return EFFECT_NAMES[effect] if has_conversations else (EFFECT_NAMES | ITEMS_ALONE)[effect]


def method_sentence(found: SourceComparison, *, has_conversations: bool = True) -> str:
    """Return the method with its weighting and corrections."""
    if found.weighting != BY_MODEL:
        return "Plain means: each rating has the same weight. No model was fitted."
    names = [effect_name(each.effect, has_conversations=has_conversations) for each in found.effects[:-1]]
    effects = f"crossed random effects of {_listed(names)}" if names else "no random effect but the residual"
    kind = "Linear probability model: a linear mixed model of answers that are 0 or 1," if found.is_binary else (
        "Linear mixed model"
    )  # fmt: skip
    corrected = ", p_holm corrected over all differences (Holm), intervals not corrected"
    corrected = corrected if len(found.differences) > 1 else ""
    return (
        f"{kind} with a mean for each source and {effects}, fitted by REML to all {found.n_ratings:,} ratings; 95 % "
        f"intervals and two-sided p values by t with Satterthwaite's degrees of freedom{corrected}. "
        "Weighting: by the model (generalised least squares), so a "
        "rating counts less the more ratings share its annotator and its conversation."
    )


def left_out_sentences(found: SourceComparison, *, has_conversations: bool = True) -> list[str]:
    """Return what the model has not, with the reason, and why intervals are withheld."""
    said = [_said(each, has_conversations) for each in found.left_out if has_conversations or _is_told(each)]
    estimates = [*(each.estimate for each in found.means), *(each.estimate for each in found.differences)]
    notes = [each.interval_note or each.reason for each in estimates if each.low is None]
    withheld = [WITHHELD[note] for note in dict.fromkeys(notes) if note in WITHHELD]
    return said + [f"intervals, p values and effect sizes: {reason}" for reason in withheld]


def taste_sentence(found: SourceComparison) -> str:
    """Return what the claim about new annotators rests on where they are estimated not to differ; nothing elsewhere."""
    if not found.has_no_taste:
        return ""
    people = f"{found.n_annotators:,} annotator{'' if found.n_annotators == 1 else 's'}"
    return (
        f"The variance of annotator x source is estimated as 0, from {people}. The intervals hold for new annotators "
        "only if these do not differ in which source they prefer, either."
    )


def unequal_sentence(found: SourceComparison, sources: Sequence[str]) -> str:
    """Return which intervals are too narrow and which too wide, because variances differ; nothing elsewhere."""
    uneven = found.unequal_variances
    if not uneven:
        return ""
    narrow, wide = (_listed([sources[at] for at in each]) for each in (uneven.too_narrow, uneven.too_wide))
    head = "The shares differ so much that answers" if found.is_binary else "Answers"
    return (
        f"{head} of one source vary more than those of another (variances up to {uneven.ratio:.1f} times as large), "
        f"but the model has one variance for all. The intervals are too narrow for {narrow} and too wide for {wide}, "
        "and p values between sources can be too small. The model of the odds ratios does not assume equal variances: "
        "use --odds-ratios."
    )


def shared_sentence(found: SourceComparison, sources: Sequence[str]) -> str:
    """Return which differences rest on few annotators who rated both sources; nothing elsewhere."""
    few = [(each, each.shared) for each in found.differences if each.shared and each.shared.are_few]
    pairs = [
        f"{sources[each.first]} ({people.a:,}) and {sources[each.second]} ({people.b:,}): {people.both:,}"
        for each, people in few
    ]
    if not pairs:
        return ""
    return (
        "Few annotators rated both sources of a pair, so a difference between them can be one between annotators. "
        f"Annotators of each, and of both: {'; '.join(pairs)}."
    )


def _is_told(left_out: LeftOut) -> bool:
    """Without conversations, items are not told twice."""
    return left_out.effect not in (ITEM, ITEM_SOURCE)


def _said(left_out: LeftOut, has_conversations: bool) -> str:
    name = effect_name(left_out.effect, has_conversations=has_conversations)
    if left_out.reason != SAME_GROUPS:
        return f"{name}: {REASONS[left_out.reason]}"
    beside = effect_name(left_out.beside, has_conversations=has_conversations)
    return f"{name}: the same groups as {beside}, whose effect stands for both"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
