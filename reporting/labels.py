"""Translate the codes of the measures into words for a page. Only the codes are stored."""

from functools import lru_cache

from django.utils.translation import get_language, gettext_noop, pgettext_lazy
from django.utils.translation import gettext as _

# The words of Landis and Koch, then of Krippendorff.
STRENGTHS = {
    "poor": pgettext_lazy("strength of agreement", "poor"),
    "slight": pgettext_lazy("strength of agreement", "slight"),
    "fair": pgettext_lazy("strength of agreement", "fair"),
    "moderate": pgettext_lazy("strength of agreement", "moderate"),
    "substantial": pgettext_lazy("strength of agreement", "substantial"),
    "almost_perfect": pgettext_lazy("strength of agreement", "almost perfect"),
    "reliable": pgettext_lazy("strength of agreement", "reliable"),
    "tentative": pgettext_lazy("strength of agreement", "tentative"),
    "unreliable": pgettext_lazy("strength of agreement", "unreliable"),
}
DIFFERENT_ANSWERS = "different_answers"
NO_SINGLE_CHOICE = "no_single_choice"
# Clauses that follow "undefined, because".
REASONS = {
    "no_ratings": gettext_noop("there are no answers here yet"),
    "no_pairs": gettext_noop("no item has been rated by more than one person yet"),
    "no_variation": gettext_noop("everybody gave the same answer, so agreement cannot be told from chance"),
    "one_category": gettext_noop("the question has only one option"),
    NO_SINGLE_CHOICE: gettext_noop("no question here takes one option"),
    DIFFERENT_ANSWERS: gettext_noop("the questions have different options, so no kappa covers all of them"),
    "no_mean": gettext_noop("no batch has a defined value yet"),
    "no_strong_items": gettext_noop("every item has at least one unsure answer"),
    "no_scores": gettext_noop("the question has neither a positive answer nor numbers"),
    "never_lost": gettext_noop("it never lost, so its strength has no upper bound"),
    "never_won": gettext_noop("it never won, so its strength has no lower bound"),
    "one_sided": gettext_noop("between its group and the ranked sources all answers went one way"),
    "not_connected": gettext_noop("no chain of comparisons links it to the ranked sources"),
    "no_comparisons": gettext_noop("it has no answers other than those that call both bad"),
    "no_preference": gettext_noop("no answer prefers a source"),
    "separated": gettext_noop(
        "once sides are taken into account, some answers have no exception, so no estimate is finite"
    ),
    "not_told_apart": gettext_noop("every pair was always shown with the same sides"),
    "no_sides": gettext_noop("nobody knows which source stood on the left"),
    "no_texts": gettext_noop("not all texts are known, so their lengths are not either"),
    "same_lengths": gettext_noop("the two texts of every pair are of the same length"),
    "uncertain_length": gettext_noop("the answers do not tell well enough what length does"),
    "length_not_told_apart": gettext_noop("length cannot be told apart from the sources or the sides"),
    "no_ranking": gettext_noop("no two sources can be ranked"),
    "no_triads": gettext_noop("no three sources were all compared with each other"),
    "too_many_pairs": gettext_noop("there are too many pairs of sources"),
    "separated_pairs": gettext_noop("a pair of sources was always answered the same way"),
    "confounded_pairs": gettext_noop("a covariate is the same in all comparisons of a pair"),
    "no_variance": gettext_noop("one annotator or one conversation alone tells about a pair"),
    "no_order": gettext_noop("the answers are categories without an order"),
    "no_numbers": gettext_noop("the answers have no numbers"),
    "no_spread": gettext_noop("all differences are the same"),
    "too_few_items": gettext_noop("there are too few dialogues or sources"),
    "no_times": gettext_noop("no times were measured"),
    "no_pay": gettext_noop("no pay is set in the study's settings"),
    "other_currency": gettext_noop("the minimum per hour and the pay are in different currencies"),
    "too_large": gettext_noop("the package would need too much memory"),
    "ratings_moved": gettext_noop("answers arrived while the report was being made"),
}


def said(msgid: str) -> str:
    """Translate like gettext, from a cache: for texts that one page repeats hundreds of times, gettext itself takes a
    third of the page's time.
    """
    return _said(msgid, get_language())


@lru_cache(maxsize=2048)
def _said(msgid: str, _language: str | None) -> str:
    return _(msgid)


def strength(code: str) -> str:
    return _strength(code, get_language())


@lru_cache(maxsize=256)
def _strength(code: str, _language: str | None) -> str:
    return str(STRENGTHS.get(code) or code.replace("_", " "))


def reason_sentence(reason: str | None) -> str:
    """Return the reason as a clause without a full stop."""
    return _(REASONS[reason]) if reason in REASONS else _("it could not be computed")


def reason_in_report(reason: str | None) -> str:
    why = _(REASONS[reason]) if reason in REASONS else _("there are too few answers")
    # Translators: "why" is a clause such as "there are no answers here yet".
    return _("Undefined: %(why)s.") % {"why": why}
