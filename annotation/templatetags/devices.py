"""Let people return without a password on pages that other apps render: {% load devices %}."""

from typing import Any

from django import template

from annotation.views.devices import accounts_here

register = template.Library()


@register.inclusion_tag("annotation/_known_here.html", takes_context=True)
def known_here(context: template.RequestContext, next_path: str | None) -> dict[str, Any]:
    """Show the accounts that this device knows, to continue as one of them; nothing if it knows none."""
    request = context["request"]
    return {
        "request": request,
        "accounts": accounts_here(request),
        "next": next_path or "",
        "csrf_token": context.get("csrf_token"),
    }
