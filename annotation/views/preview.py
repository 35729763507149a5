"""Show a protocol's rating screen with a made-up dialogue. Only the protocol is read, and nothing is written."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from csp.constants import SELF
from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods

from annotation.context import ContextPanel
from annotation.numbering import numbered_turns
from annotation.selectors.guidelines import sections_of
from annotation.selectors.screens import ALONE
from annotation.selectors.work import DialoguePage
from annotation.speakers import next_speaker
from annotation.steps import ItemText, SavedAnswer, Step, steps_of
from protocols.access import version_for
from protocols.bundles import BundleError, InvalidBundle, complete_bundle, dump_bundle
from protocols.models import ProtocolVersion
from protocols.rendering import rendered
from protocols.specs import VersionSpec, spec_of_document
from protocols.translating import Texts, spec_in, texts_of_document

NOBODY = UUID(int=0)
TURNS = [
    {"speaker": "A", "text": "Hi! I just moved here and I don't know anybody yet."},
    {"speaker": "B", "text": "Welcome! Moving is hard. What do you like to do in your free time?"},
    {"speaker": "A", "text": "I play the guitar a bit, and I like to walk in the hills with my dog."},
    {"speaker": "B", "text": "The hills begin right behind the station. What is your dog called?"},
    {"speaker": "A", "text": "Biscuit. Is there a place where dogs may run without a leash?"},
]
PERSONA = ["I have lived in this town for ten years.", "I have two cats.", "I work at night."]
RESPONSES = (
    "Yes, the meadow by the river. On Sundays many people are there with their dogs, so you would meet somebody too.",
    "I don't like music.",
    "Perhaps. You could ask at the town hall, they have a map of everything.",
)
OTHER_TURNS = ([TURNS[0]], [TURNS[2]], [TURNS[4]])
WHOLE = [[*TURNS, {"speaker": "B", "text": text}] for text in RESPONSES[:2]]
SHOWN: dict[str, list[tuple[str, ...]]] = {
    ProtocolVersion.Unit.RESPONSE: [(text,) for text in RESPONSES[:2]],
    ProtocolVersion.Unit.CANDIDATE_SET: [RESPONSES],
    ProtocolVersion.Unit.MODEL: [RESPONSES],
    ProtocolVersion.Unit.DIALOGUE: [()],
    ProtocolVersion.Unit.COMPARISON: [RESPONSES[:2]],
}


@login_required
@never_cache
@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})  # type: ignore[arg-type]  # its types do not know URL arguments
@require_http_methods(["GET", "HEAD", "POST"])
def protocol_preview(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show the stored version, or the `document` that the editor posts, which is not stored."""
    found = version_for(request.user, slug, version)
    if "document" in request.POST:
        try:
            doc = complete_bundle(_parsed(request.POST["document"]))
        except InvalidBundle as invalid:
            context = {"version": found, "errors": invalid.errors, "is_embedded": "whole" not in request.POST}
            return render(request, "annotation/preview.html", context, status=422)
        return _screen(request, found, spec_of_document(doc), doc, "")
    if request.method == "POST":  # without JavaScript a step is a form: go to the next one
        return HttpResponseRedirect(f"?step=1/{_number(request) + 1}/")
    language = request.GET.get("language", "")
    return _screen(request, found, spec_in(found, language), dump_bundle(found), language)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidBundle([BundleError("document", _("is not JSON"), _("the editor's document"))]) from None


def _screen(
    request: HttpRequest, stored: ProtocolVersion, spec: VersionSpec, doc: dict[str, Any], language: str
) -> HttpResponse:
    words = texts_of_document(doc, language)
    are_whole = doc["granularity"] == ProtocolVersion.Granularity.DIALOGUE
    page = _sample_page(spec, request.POST.get("criterion", ""), compares_dialogues=are_whole)
    current = None
    if page.steps:  # the one asked for; from the editor, the first one of the criterion that is being edited
        wanted = request.POST.get("criterion")
        edited = (step for step in page.steps if any(each.criterion.key == wanted for _, each in step.questions))
        current = next(edited, page.steps[min(max(_number(request), 1), len(page.steps)) - 1])
    is_stored = "document" not in request.POST
    context = {
        "version": stored,
        "words": words,
        "reading_seconds": doc["reading_seconds"],
        "page": page,
        "current": current.number if current else 1,
        "progress": {"n_steps_done": 0, "n_steps": len(page.steps)},
        "stage": _stage(stored, words, page, current) if current else "",
        "is_embedded": "document" in request.POST and "whole" not in request.POST,
        "is_stored": is_stored,
        "sections": sections_of(stored, language) if is_stored else [],
        "guidelines": rendered(words.guidelines),
        "lease": doc["max_minutes"] * 60,
        "is_at_end": _number(request) > len(page.steps),
    }
    return render(request, "annotation/preview.html", context)


def _sample_page(spec: VersionSpec, wanted: str, *, compares_dialogues: bool) -> DialoguePage:
    items = []
    is_pair = compares_dialogues and spec.units == (ProtocolVersion.Unit.COMPARISON,)
    for place, unit in enumerate(spec.units, start=1):
        for number, texts in enumerate(SHOWN[unit], start=1):
            item = ItemText(UUID(int=100 * place + number), texts, unit)
            if is_pair:  # two whole dialogues, which are alone on their page
                item = replace(item, texts=(), histories=tuple(map(numbered_turns, WHOLE)))
            elif unit == ProtocolVersion.Unit.MODEL:
                item = replace(item, histories=OTHER_TURNS, speakers=tuple(map(next_speaker, OTHER_TURNS)))
            else:
                item = replace(item, speaker=next_speaker(TURNS))
            items.append(item)
    return DialoguePage(
        screen=ALONE,
        turns=[] if is_pair else numbered_turns(TURNS),
        context=() if is_pair else (ContextPanel("", facts=tuple(PERSONA)),),
        items=items,
        steps=steps_of(spec, items, _leading_to(spec, wanted, items)),
        spec=spec,
        marks={},
    )


def _leading_to(spec: VersionSpec, key: str, items: list[ItemText]) -> dict[tuple[UUID, str], SavedAnswer]:
    """Return the answers after which the criterion that is being edited is asked."""
    criterion, found = spec.by_key.get(key), {}
    for condition in criterion.when if criterion else ():
        parent = spec.by_key[condition.criterion]
        option = next(each for each in parent.options if each.key in condition.options)
        found = _leading_to(spec, parent.key, items)
        found |= {(item.token, parent.key): SavedAnswer(option.code, is_saved=True) for item in items}
    return found


def _number(request: HttpRequest) -> int:
    """Return the number in `step`, such as 1/2/ in addresses of the rating screen; 1 if it is not valid."""
    number = request.GET.get("step", "").strip("/").rpartition("/")[2]
    return int(number) if number.isdecimal() and len(number) < 6 else 1


def _stage(stored: ProtocolVersion, words: Texts, page: DialoguePage, step: Step) -> SafeString:
    """Render the rating screen's own fragment. Its links, made for a seat nobody has, lead back to this page."""
    context = {
        "assignment": SimpleNamespace(token=NOBODY),
        "study": SimpleNamespace(slug="preview"),
        "version": stored,
        "words": words,
        "short_guidelines": rendered(words.guidelines_short),
        "page": page,
        "current": step.number,
        "steps": page.steps,
        "form_key": NOBODY,
        "csrf_token": "",
    }
    here = reverse("protocol_preview", args=[stored.protocol.slug, stored.version])
    html: str = render_to_string("annotation/_rate_dialogue.html", context)
    html = html.replace(f'href="{reverse("guidelines", args=["preview"])}" target="_blank"', 'href="#guidelines"')
    return mark_safe(html.replace(reverse("rate_start", args=[NOBODY]), f"{here}?step="))  # noqa: S308 - a template's own
