"""The editor of a draft: GET returns its page, POST takes the document as JSON."""

import json
from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from protocols.access import version_for
from protocols.borrowing import other_versions, questions_of
from protocols.bundles import InvalidBundle
from protocols.editing import FIELDS, editable, findings, in_page_words, revision_of
from protocols.linting import UNSURE
from protocols.models import ProtocolVersion
from protocols.services import ChangedMeanwhile, NotDraft, not_draft_sentence, replace_draft
from protocols.tables import NoAnswers, answers_of_table


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def protocol_edit(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    found = version_for(request.user, slug, version)
    if request.method == "POST":
        return _posted(request, found)
    if found.status != ProtocolVersion.Status.DRAFT:
        messages.warning(request, not_draft_sentence(found))
        return redirect("protocol_version", slug, version)
    doc = editable(found)
    context = {
        "version": found,
        "document": doc,
        "revision": revision_of(doc),
        "fields": FIELDS,
        "others": other_versions(found),
        "unsure": UNSURE,
    }
    return render(request, "protocols/edit.html", context)


def _posted(request: HttpRequest, version: ProtocolVersion) -> JsonResponse:
    try:
        sent: Any = json.loads(request.body)
    except (ValueError, RecursionError):
        sent = None
    if isinstance(sent, dict) and sent.get("action") == "table":
        return _table(str(sent.get("text", "")), add_between=sent.get("between") is True)
    if isinstance(sent, dict) and sent.get("action") == "questions":
        return _questions(request, str(sent.get("from", "")))
    if not isinstance(sent, dict) or sent.get("action") not in ("save", "check"):
        message = _("This is not a document from the editor. Reload the page.")
        return JsonResponse({"message": message}, status=400)
    doc = sent.get("document")
    if sent["action"] == "check" or not isinstance(doc, dict):
        return JsonResponse(findings(doc) | {"saved": False})
    return _saved(version, doc, str(sent.get("revision", "")))


def _table(text: str, *, add_between: bool) -> JsonResponse:
    try:
        return JsonResponse(asdict(answers_of_table(text, add_between=add_between)))
    except NoAnswers as none:
        return JsonResponse({"message": str(none)}, status=422)


def _questions(request: HttpRequest, name: str) -> JsonResponse:
    slug, _at, number = name.replace("\x00", "").partition("@")
    try:
        return JsonResponse({"criteria": questions_of(version_for(request.user, slug, number))})
    except Http404 as none:
        return JsonResponse({"message": str(none)}, status=404)


def _saved(version: ProtocolVersion, doc: dict[str, Any], revision: str) -> JsonResponse:
    try:
        stored = editable(replace_draft(version, doc, made_from=revision, now=timezone.now()))
    except ChangedMeanwhile as changed:
        theirs = editable(version)
        answer = {"message": str(changed), "theirs": theirs, "revision": revision_of(theirs), "saved": False}
        return JsonResponse(answer, status=409)
    except NotDraft as frozen:
        return JsonResponse({"message": str(frozen), "saved": False}, status=409)
    except InvalidBundle as invalid:
        errors = [asdict(in_page_words(each)) for each in invalid.errors]
        return JsonResponse({"errors": errors, "warnings": [], "saved": False}, status=422)
    return JsonResponse(findings(doc) | {"saved": True, "revision": revision_of(stored)})
