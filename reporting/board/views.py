"""The two pages of the live board, agreement and quality, and the fragments that refresh them."""

from datetime import datetime
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
from reporting.board.pieces import BoardPart, board_of
from reporting.board.rows import Stamp, stamp_of


@require_safe
@login_required
def board_page(request: HttpRequest, slug: str, part: BoardPart) -> HttpResponse:
    study, now = study_for(request.user, slug, Right.WATCH), timezone.now()
    stamp = stamp_of(study, now=now)
    board = board_of(study, part, request.GET, stamp, now=now)
    context = {"study": study, "part": part.name, "stamp": stamp, "board": board, "pieces": board.pieces}
    return _in_its_language(render(request, part.template, context | {"rights": rights_in(request.user, study)}))


@require_safe
def board_fragment(request: HttpRequest, slug: str, part: BoardPart) -> HttpResponse:
    """Return the changed pieces, or 304 if nothing is newer than `v` or the ETag.

    It never redirects to the sign-in page, which would be put into the board.
    """
    study, now = study_for(request.user, slug, Right.WATCH), timezone.now()
    stamp = stamp_of(study, now=now)
    etag = quote_etag(str(stamp))
    if request.GET.get("v") == str(stamp):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = get_conditional_response(request, etag=etag) or _changed(request, study, part, stamp, now)
    response["ETag"] = etag
    response["Cache-Control"] = "no-store"  # otherwise the browser would answer a 304 with its own copy
    return _in_its_language(response)


def _in_its_language(response: HttpResponse) -> HttpResponse:
    """Vary on what chooses the language, which is part of the stamp: a cookie or the browser's setting."""
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def _changed(request: HttpRequest, study: Study, part: BoardPart, stamp: Stamp, now: datetime) -> HttpResponse:
    board = board_of(study, part, request.GET, stamp, now=now)
    if board.has_batches and "page" not in request.GET:
        return HttpResponseClientRefresh()  # opened before there were batches: the page has no elements for the pieces
    response = render(request, "reporting/board/_fragment.html", {"stamp": stamp, "places": board.places})
    if request.headers.get("HX-Trigger") == "board-form":  # the address bar follows what was chosen
        replace_url(response, f"{reverse(part.name, args=[study.slug])}?{urlencode(board.chosen)}")
    return response
