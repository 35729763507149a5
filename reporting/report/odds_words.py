"""Odds ratios in words: what they say, for whom they hold, and why there are none."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from measures.ordinal.odds import NO_VARIATION, NOT_CONVERGED, SEPARATED, TOO_LARGE
from reporting.report.odds import TOO_MANY, WITHHELD

WHY_NONE = {
    NO_VARIATION: pgettext_lazy("why there is no odds ratio", "only one answer occurs"),
    SEPARATED: pgettext_lazy("why there is no odds ratio", "a source has answers of one kind only"),
    NOT_CONVERGED: pgettext_lazy("why there is no odds ratio", "model did not converge"),
    TOO_LARGE: pgettext_lazy("why there is no odds ratio", "design too large for the model"),
    TOO_MANY: pgettext_lazy("why there is no odds ratio", "more than 5,000 answers: use the command compare"),
    WITHHELD: pgettext_lazy("why there is no odds ratio", "the difference has no interval"),
}


def why_none(reason: str) -> str:
    return str(WHY_NONE[reason])


def odds_sentences(of_dialogues: bool) -> str:
    """Return what odds ratios say, and for whom. `of_dialogues`: every dialogue is a conversation of its own."""
    if of_dialogues:
        held = _(
            "How many times as high the odds of a positive answer are for the first source as for the second, for the "
            "same annotator and dialogue: a logistic mixed model, with 95 per cent intervals for new annotators and "
            "new dialogues like these."
        )
    else:
        held = _(
            "How many times as high the odds of a positive answer are for the first source as for the second, for the "
            "same annotator and conversation: a logistic mixed model, with 95 per cent intervals for new annotators "
            "and new conversations like these."
        )
    return " ".join(
        [
            held,
            _("The intervals are not corrected for the number of comparisons."),
            _("They take annotators to be many: with fewer than 15, rely on the differences."),
        ]
    )
