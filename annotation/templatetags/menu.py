"""What the menu of every page has: {% load menu %}."""

from django import template

from annotation.access import Person, leads_studies

register = template.Library()
BUSY = ("rate", "rate_start", "submit")


@register.simple_tag(takes_context=True)
def has_studies(context: template.RequestContext, user: Person) -> bool:
    """Not while they rate, when every page has to be quick: there the menu leads to their work alone."""
    match = context["request"].resolver_match
    return (match is None or match.url_name not in BUSY) and leads_studies(user)
