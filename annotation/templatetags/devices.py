"""Coming back without a password, on pages that no view of ours makes: {% load devices %}."""

from typing import Any

from django import template

from annotation.views.devices import accounts_here

register = template.Library()


@register.inclusion_tag("annotation/_sign_in_without.html", takes_context=True)
def sign_in_without_password(context: template.RequestContext, next_path: str | None) -> dict[str, Any]:
    """Whom this device knows, and what people without a password do elsewhere."""
    request = context["request"]
    return {
        "request": request,
        "accounts": accounts_here(request),
        "next": next_path or "",
        "csrf_token": context.get("csrf_token"),
    }
