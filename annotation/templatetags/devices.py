"""Coming back without a password, on pages that no view of ours makes: {% load devices %}."""

from typing import Any

from django import template

from annotation.views.devices import accounts_here

register = template.Library()


@register.inclusion_tag("annotation/_known_here.html", takes_context=True)
def known_here(context: template.RequestContext, next_path: str | None) -> dict[str, Any]:
    """Whom this device knows, to continue as; nothing where it knows nobody."""
    request = context["request"]
    return {
        "request": request,
        "accounts": accounts_here(request),
        "next": next_path or "",
        "csrf_token": context.get("csrf_token"),
    }
