"""Render the steps and questions of the rating screen: {% load questions %}.

Untouched questions differ between annotators and items only in field names and in the item they are about. They are
rendered once for each version and language; after that, only these values are put in.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from uuid import UUID

from django import template
from django.template import Context, Engine
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotation.steps import AskedCriterion, ItemText, SavedAnswer, Step
from protocols.models import Criterion, ProtocolVersion

register = template.Library()
OptionLayout = ProtocolVersion.OptionLayout
MOST = 2000  # texts that are kept
# PostgreSQL texts cannot hold NUL, so no other text can be mistaken for one of these places.
PLACES = {name: f"\0{name}\0" for name in ("name", "id", "heading", "position", "url", "item", "texts", "key", "token")}
PLACE = re.compile("\0([a-z]+)\0")
TEXTS = SafeString(PLACES["texts"])
BETWEEN = re.compile(r">\s*\n\s*<")
_kept: dict[tuple[object, ...], list[str]] = {}


@dataclass(frozen=True, slots=True)
class Bare:
    """Stands in for an item, with a place for each value that differs between items."""

    unit: str
    token: str = PLACES["item"]
    texts: SafeString = TEXTS
    compares_dialogues: bool = False


@register.simple_tag(takes_context=True)
def step_forms(context: Context) -> SafeString:
    """Return the steps of the dialogue `page`, one after another, each with its questions."""
    url = reverse("rate_dialogue", args=[context["assignment"].token, context["page"].position])
    made: dict[UUID, SafeString] = {}  # texts of an item, rendered once however many steps ask about it
    return mark_safe("".join(_step_form(context, step, url, made) for step in context["steps"]))  # noqa: S308


@register.simple_tag(takes_context=True)
def item_texts(context: Context, item: ItemText | Bare) -> SafeString:
    """Return the rated texts that are shown beside their questions."""
    return item.texts if isinstance(item, Bare) else _rendered(context, "_item_texts", item=item)


@register.simple_tag(takes_context=True)
def question_form(
    context: Context, question: AskedCriterion, scope: int | str, layout: str = "described", item: UUID | str = ""
) -> SafeString:
    """Return a question with its options. `scope` tells it apart from the same question of another step.

    With `item`, the heading with the id `about-<scope>-<item>` on the page says what the question is about.
    """
    if len(question.choices) == 2:
        layout = OptionLayout.DESCRIBED  # there is room, and labels such as 1 and 0 alone say too little
    values = {
        "name": question.name,
        "id": f"{context['page'].position}-{scope}-{question.name}",
        "heading": f"about-{scope}-{item}" if item else "",
    }
    if not (_is_stored(context) and _is_untouched(question)):
        return _rendered(context, "_question", question=question, layout=layout, **values)
    places = {name: PLACES[name] if value else "" for name, value in values.items()}
    shape = (question.criterion.key, layout, question.is_asked, bool(item))
    return _filled(
        context, shape, values, lambda: _rendered(context, "_question", question=question, layout=layout, **places)
    )


def _is_stored(context: Context) -> bool:
    """Return whether the page shows a stored version; a preview shows unsaved text and has no fingerprint."""
    return bool(context.get("fingerprint"))


def _step_form(context: Context, step: Step, url: str, made: dict[UUID, SafeString]) -> SafeString:
    page, item, questions = context["page"], step.part.item, step.part.questions
    is_current = step.number == context["current"]
    # A plain step has nothing that belongs to only one annotator, item or address.
    is_special = len(step.parts) > 1 or (context.get("has_plain_marks") and is_current) or context.get("review_query")
    if is_special or not (_is_stored(context) and all(map(_is_untouched, questions))):
        return _rendered(context, "_step", step=step, url=url)
    if page.spec.response == ProtocolVersion.ResponsePlace.BESIDE and item.token not in made:
        made[item.token] = item_texts(context, item)
    values = {
        "position": page.position,
        "url": url,
        "item": item.token,
        "texts": made.get(item.token, ""),
        "key": context["form_key"],
        "token": context.get("csrf_token", ""),
    }
    asked = ((each.criterion.key, each.is_asked) for each in questions)
    shape = (
        step.number,
        len(page.steps),
        is_current,
        item.unit,
        item.compares_dialogues,
        step.part.number,
        step.part.n_items,
        *asked,
    )
    return _filled(context, shape, values, lambda: _bare_step(context, step))


def _is_untouched(question: AskedCriterion) -> bool:
    """Return whether the question can be shared. A question about turns cannot: they belong to one dialogue."""
    has_turns = question.criterion.kind == Criterion.Kind.TURNS
    return question.answer == SavedAnswer() and not question.errors and not has_turns


def _bare_step(context: Context, step: Step) -> str:
    """Return the step with a place for each value that differs."""
    item, page = Bare(step.part.item.unit, compares_dialogues=step.part.item.compares_dialogues), context["page"]
    part = SimpleNamespace(item=item, number=step.part.number, n_items=step.part.n_items, questions=step.part.questions)
    bare = {
        "step": SimpleNamespace(number=step.number, parts=[part], part=part),
        "page": SimpleNamespace(position=PLACES["position"], spec=page.spec, steps=page.steps),
        "form_key": PLACES["key"],
        "csrf_token": PLACES["token"],
        "url": PLACES["url"],
    }
    return _rendered(context, "_step", **bare)


def _filled(
    context: Context, shape: tuple[object, ...], values: Mapping[str, object], make: Callable[[], str]
) -> SafeString:
    version, languages = context["version"], (get_language(), context["words"].language)
    key = (version.pk, version.sha256, *languages, *shape)
    if (parts := _kept.get(key)) is None:
        if len(_kept) >= MOST:
            _kept.clear()
        parts = _kept[key] = PLACE.split(BETWEEN.sub(">\n<", make()))
    texts, names = parts[::2], parts[1::2]
    put_in = [conditional_escape(str(values[name])) for name in names]
    return mark_safe("".join(text + value for text, value in zip(texts, [*put_in, ""], strict=True)))  # noqa: S308


def _rendered(context: Context, template_name: str, **values: object) -> SafeString:
    found = Engine.get_default().get_template(f"annotation/{template_name}.html")
    with context.push(**values):
        return found.render(context)
