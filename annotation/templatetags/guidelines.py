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
    strong, emphasised = '<strong lang="{}" dir="auto">{}</strong>', '<em lang="{}" dir="auto">{}</em>'
    conditions = []
    for dependence in dependences:
        labels = [format_html(strong, language, wording(each)) for each in dependence.labels]
        criterion = format_html(emphasised, language, wording(dependence.name))
        # Translators: a condition, as in "Asked when Grammar is poor or unsure."
        conditions.append(format_html(_("{criterion} is {answers}"), criterion=criterion, answers=either(labels)))
    return format_html(_("Asked when {conditions}."), conditions=both(conditions))
