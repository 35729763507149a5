"""Template filters for times: they show the server's zone until a script converts them to the browser's."""

from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

register = template.Library()
HOURS_FROM = 120  # minutes; readers would convert fewer hours back into minutes


@register.filter
def local_time(value: datetime | None) -> SafeString:
    """Return a time element for local-time.js, with the zone: without the script, most readers need it."""
    if value is None:
        return SafeString("")
    here = localtime(value)
    text = f"{date_format(here, 'SHORT_DATETIME_FORMAT')} {here:%Z}"
    return format_html('<time datetime="{}" data-local-time>{}</time>', here.isoformat(timespec="seconds"), text)


@register.filter
def duration(minutes: int) -> str:
    """Return minutes as text, with whole hours and minutes from two hours on."""
    hours, rest = divmod(minutes, 60)
    if minutes < HOURS_FROM:
        return _("%(minutes)s min") % {"minutes": minutes}
    parts = {"hours": hours, "minutes": rest}
    return _("%(hours)s h %(minutes)s min") % parts if rest else _("%(hours)s h") % parts
