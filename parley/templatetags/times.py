"""Times by the reader's clock: the server's with its zone, until a script puts the browser's in its place."""

from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

register = template.Library()
HOURS_FROM = 120  # minutes; below, hours would be read back into minutes


@register.filter
def local_time(value: datetime | None) -> SafeString:
    """With local-time.js on the page. Without it, a time without its zone would be wrong for most."""
    if value is None:
        return SafeString("")
    here = localtime(value)
    text = f"{date_format(here, 'SHORT_DATETIME_FORMAT')} {here:%Z}"
    return format_html('<time datetime="{}" data-local-time>{}</time>', here.isoformat(timespec="seconds"), text)


@register.filter
def duration(minutes: int) -> str:
    """In whole hours and minutes from two hours on."""
    hours, rest = divmod(minutes, 60)
    if minutes < HOURS_FROM:
        return _("%(minutes)s min") % {"minutes": minutes}
    parts = {"hours": hours, "minutes": rest}
    return _("%(hours)s h %(minutes)s min") % parts if rest else _("%(hours)s h") % parts
