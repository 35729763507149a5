"""Build whole sentences of the guidelines around names of the protocol, so that translations can reorder them."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.selectors.guidelines import Dependence
from parley.listing import both, either
from protocols.templatetags.wording import wording

register = template.Library()


@register.simple_tag
def asked_when(dependences: Iterable[Dependence], language: str) -> SafeString:
    """Return the sentence "Asked when ..."; its names and labels are in the protocol's language."""
    conditions = [_condition(dependence, language) for dependence in dependences]
    return format_html(_("Asked when {conditions}."), conditions=both(conditions))


def _condition(dependence: Dependence, language: str) -> SafeString:
    strong = '<strong lang="{}" dir="auto">{}</strong>'
    labels = [format_html(strong, language, wording(each)) for each in dependence.labels]
    criterion = format_html('<em lang="{}" dir="auto">{}</em>', language, wording(dependence.name))
    # Translators: a condition, as in "Asked when Grammar is poor or unsure."
    return format_html(_("{criterion} is {answers}"), criterion=criterion, answers=either(labels))
