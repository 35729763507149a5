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
# Clauses that follow "undefined, because".
REASONS = {
    "no_ratings": gettext_noop("there are no answers here yet"),
    "no_pairs": gettext_noop("no item has been rated by more than one person yet"),
    "no_variation": gettext_noop("everybody gave the same answer, so agreement cannot be told from chance"),
    "one_category": gettext_noop("the question has only one option"),
    DIFFERENT_ANSWERS: gettext_noop("the questions have different options, so no kappa covers all of them"),
    "no_mean": gettext_noop("no batch has a defined value yet"),
    "no_strong_items": gettext_noop("every item has at least one unsure answer"),
    "no_scores": gettext_noop("the question has neither a positive answer nor numbers"),
    "dependent_turns": gettext_noop("turns of one conversation are not independent, and this test needs that they are"),
    "unmatched_dialogues": gettext_noop(
        "no two sources share a scenario; the tables by source have their means, and unmatched dialogues are not "
        "tested yet"
    ),
    "no_order": gettext_noop("the answers are categories without an order"),
    "no_numbers": gettext_noop("the answers have no numbers"),
    "single_annotator": gettext_noop("no two annotators have rated the same dialogues of both sources"),
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
