"""Questions of the rating screen: {% load questions %}.

A question that nobody has touched is the same for every annotator and item but for the names of its fields. It is made
once for each version and language, and only the names are put in.
"""

import re

from django import template
from django.template import Context, Engine
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation.steps import Question, SavedAnswer
from protocols.models import Criterion

register = template.Library()
MOST = 2000  # questions that are kept
# No text of a database holds the character NUL, so nothing but these places is taken for one of them.
NAME, PLACE = "\0name\0", "\0place\0"
BETWEEN = re.compile(r">\s*\n\s*<")
_kept: dict[tuple[object, ...], str] = {}


@register.simple_tag(takes_context=True)
def question_form(context: Context, question: Question, scope: int | str, layout: str = "described") -> SafeString:
    """A question with its options. `scope` tells it apart from the same question of another step."""
    place = f"{context['page'].position}-{scope}-{question.name}"
    # Only a page that says which version it shows, shows a stored one: a preview is of what stands in the editor.
    if not (context.get("fingerprint") and _is_untouched(question)):
        return _rendered(context, question, layout, question.name, place)
    html = _untouched(context, question, layout)
    return mark_safe(html.replace(NAME, escape(question.name)).replace(PLACE, escape(place)))  # noqa: S308


def _is_untouched(question: Question) -> bool:
    """Turns are those of a dialogue, so a question about them is never the same for another."""
    has_turns = question.criterion.kind == Criterion.Kind.TURNS
    return question.answer == SavedAnswer() and not question.errors and not has_turns


def _untouched(context: Context, question: Question, layout: str) -> str:
    version = context["version"]
    languages = get_language(), context["words"].language
    key = (version.pk, version.sha256, *languages, question.criterion.key, layout, question.is_asked)
    if (html := _kept.get(key)) is None:
        html = BETWEEN.sub(">\n<", _rendered(context, question, layout, NAME, PLACE))
        if len(_kept) >= MOST:
            _kept.clear()
        _kept[key] = html
    return html


def _rendered(context: Context, question: Question, layout: str, name: str, place: str) -> SafeString:
    found = Engine.get_default().get_template("annotation/_question.html")
    with context.push(question=question, layout=layout, name=name, id=place):
        return found.render(context)
