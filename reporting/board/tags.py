"""The template tag for a number of the board with its explanation."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from reporting.explained import Figure

register = template.Library()


@register.simple_tag
def number(figure: Figure, *place: object) -> SafeString:
    """Return a button that is described by the lines of the figure, or nothing for an empty figure.

    `place` becomes its id, which stays the same on every refresh so that the focus can be restored. This is not a
    template: a board has about three hundred of these buttons, and an include takes ten times as long.
    """
    if not figure.lines:
        return SafeString("")
    at = "-".join(str(part) for part in place)
    warned = " warned" if figure.is_warned else ""
    return format_html(
        '<button type="button" class="figure{}" id="f{}" aria-describedby="w{}">{}</button>'
        '<span class="why" role="tooltip" id="w{}">{}</span>',
        warned, at, at, figure.text, at, format_html_join("\n", "{}", ((line,) for line in figure.lines)),
    )  # fmt: skip
