"""Decide what the menu of a page shows: {% load menu %}."""

from django import template

from annotation.access import Person, leads_studies

register = template.Library()
BUSY = ("rate", "rate_start", "submit")
STUDIES = "studies/"


@register.simple_tag(takes_context=True)
def has_studies(context: template.RequestContext, user: Person) -> bool:
    """Return whether to show the studies: never while rating, when pages must be quick, and always below /studies/."""
    match = context["request"].resolver_match
    if match is not None and match.url_name in BUSY:
        return False
    return (match is not None and match.route.startswith(STUDIES)) or leads_studies(user)
