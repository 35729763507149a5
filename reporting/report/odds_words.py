"""Odds ratios in words: what they say, for whom they hold, and why there are none."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from measures.ordinal.odds import NO_VARIATION, NOT_CONVERGED, SEPARATED, TOO_LARGE
from parley.listing import both
from reporting.report.odds import TOO_MANY, WITHHELD, SourceOdds

FEWEST_ANNOTATORS = 15  # for intervals that are normal, with no degrees of freedom
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


def odds_sentences(rows: Iterable[SourceOdds], names: Mapping[str, str], *, of_dialogues: bool) -> str:
    """Return what odds ratios say, for whom, and where annotators are too few to rely on them.

    `names` are those of the criteria. `of_dialogues`: every dialogue is a conversation of its own.
    """
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
    said = [
        held,
        _("The intervals are not corrected for the number of comparisons."),
        _("They hold for many annotators: with fewer than 15, rely on the differences."),
    ]
    few = {row.criterion: row.n_annotators for row in rows if row.n_annotators < FEWEST_ANNOTATORS}
    if few:
        numbers = both([f"{names[criterion]} {n}" for criterion, n in few.items()])
        said.append(_("Annotators here: %(numbers)s.") % {"numbers": numbers})
    return " ".join(said)


def odds_method(rows: Iterable[SourceOdds], names: Mapping[str, str]) -> Iterable[str]:
    """Yield how odds ratios were estimated, if there are any."""
    criteria = list(dict.fromkeys(names[row.criterion] for row in rows if row.odds_ratio is not None))
    if criteria:
        yield _(
            "For %(criteria)s, odds ratios were estimated by a logistic mixed model with the same random effects, by "
            "Laplace's approximation; their intervals and p values are Wald's, and p values were corrected by Holm's "
            "method."
        ) % {"criteria": both(criteria)}
