"""Template filters that put the qualification into words."""

from django import template
from django.utils.translation import gettext_lazy as _

from qualification.models import Qualification

register = template.Library()
STEP_NAMES = {
    "comprehension": _("Questions about the guidelines"),
    "training": _("Training"),
    "qualification": _("Qualification"),
    "result": _("Result"),
}
REASONS = {
    "no_panel": _("The panel is empty. Mark its members on the People page."),
    "panel_unfinished": _("The panel has not finished the qualification batch yet."),
    "no_items": _("No answer could be judged."),
    "no_pairs": _("The panel has too few answers for a comparison."),
    "no_variation": _("Everyone gave the same answer, so agreement cannot be told apart from chance."),
    "too_few_items": _("There is no interval for fewer than 10 answers."),
    "other_role": _("Passed by the rule, but their role in this study can see results, so they cannot rate blind."),
}


@register.filter
def step_name(name: str) -> str:
    return str(STEP_NAMES[name])


@register.filter
def qualification_reason(word: str) -> str:
    return str(REASONS.get(word, _("It could not be computed.")))


@register.filter
def method_name(method: str) -> str:
    return str(Qualification.Method(method).label)


def bound_words(method: str) -> str:
    """Return in words whether a value equal to the threshold passes."""
    is_gold = method == Qualification.Method.GOLD
    return str(_("passed at or above the threshold") if is_gold else _("passed strictly above the threshold"))


@register.filter
def needed(threshold: float, method: str) -> str:
    """Return in words what a value must reach."""
    text = (
        _("must be at least %(threshold)s") if method == Qualification.Method.GOLD else _("must be above %(threshold)s")
    )
    return str(text) % {"threshold": three(threshold)}


@register.filter
def three(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


@register.filter
def chance(value: float) -> str:
    """Return a probability in per cent."""
    return "<\u00a01\u00a0%" if 0 < value < 0.005 else f"{100 * value:.0f}\u00a0%"
