"""The live board: a page, and the fragment that keeps it as new as the ratings."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh, replace_url

from annotation.access import Right, rights_in, study_for
from annotation.models import Study
from reporting.selectors.board import Stamp, stamp_of
from reporting.selectors.board_page import board_page


@require_safe
@login_required
def board(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    context = _context(request, study, stamp_of(study, now=timezone.now()))
    response = render(request, "reporting/board.html", context | {"rights": rights_in(request.user, study)})
    return _in_its_language(response)


@require_safe
def board_fragment(request: HttpRequest, slug: str) -> HttpResponse:
    """304 while nothing is newer than `v` or the ETag. No way to the sign-in page: it would be put into the board."""
    study = study_for(request.user, slug, Right.WATCH)
    stamp = stamp_of(study, now=timezone.now())
    etag = quote_etag(str(stamp))
    if request.GET.get("v") == str(stamp):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = get_conditional_response(request, etag=etag) or _changed(request, study, stamp)
    response["ETag"] = etag
    response["Cache-Control"] = "no-store"  # or the browser would turn a 304 into a copy it kept
    return _in_its_language(response)


def _in_its_language(response: HttpResponse) -> HttpResponse:
    """A cookie or the browser's wish chooses the language, which is part of the stamp."""
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def _changed(request: HttpRequest, study: Study, stamp: Stamp) -> HttpResponse:
    context = _context(request, study, stamp)
    if context["data"].lines and "page" not in request.GET:
        return HttpResponseClientRefresh()  # opened before there were batches: it has no places for the pieces
    response = render(request, "reporting/_board_fragment.html", context)
    if request.headers.get("HX-Trigger") == "board-form":  # the address bar follows what was chosen
        replace_url(response, f"{reverse('board', args=[study.slug])}?{urlencode(context['chosen'])}")
    return response


def _context(request: HttpRequest, study: Study, stamp: Stamp) -> dict[str, Any]:
    return board_page(study, request.GET) | {"study": study, "stamp": stamp, "worker_is_silent": stamp.is_worker_silent}
