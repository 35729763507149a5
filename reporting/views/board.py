"""The live board in two parts, agreement and quality: a page each, and the fragment that keeps it new."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
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
from reporting.selectors.board_quality import quality_page
from reporting.selectors.board_rate import rate_of


@dataclass(frozen=True, slots=True)
class Part:
    """`name` is that of its page's route and template; `read` makes what the templates show."""

    name: str
    read: Callable[[Study, Mapping[str, str]], dict[str, Any]]

    @property
    def template(self) -> str:
        return f"reporting/{self.name}.html"

    @property
    def fragment(self) -> str:
        return f"reporting/_{self.name}_fragment.html"


AGREEMENT = Part("board", board_page)
QUALITY = Part("board_quality", quality_page)


@require_safe
@login_required
def board(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, slug, AGREEMENT)


@require_safe
@login_required
def board_quality(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, slug, QUALITY)


@require_safe
def board_fragment(request: HttpRequest, slug: str) -> HttpResponse:
    return _fragment(request, slug, AGREEMENT)


@require_safe
def board_quality_fragment(request: HttpRequest, slug: str) -> HttpResponse:
    return _fragment(request, slug, QUALITY)


def _page(request: HttpRequest, slug: str, part: Part) -> HttpResponse:
    study, now = study_for(request.user, slug, Right.WATCH), timezone.now()
    context = _context(request, study, part, stamp_of(study, now=now), now)
    return _in_its_language(render(request, part.template, context | {"rights": rights_in(request.user, study)}))


def _fragment(request: HttpRequest, slug: str, part: Part) -> HttpResponse:
    """304 while nothing is newer than `v` or the ETag. No way to the sign-in page: it would be put into the board."""
    study, now = study_for(request.user, slug, Right.WATCH), timezone.now()
    stamp = stamp_of(study, now=now)
    etag = quote_etag(str(stamp))
    if request.GET.get("v") == str(stamp):
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = get_conditional_response(request, etag=etag) or _changed(request, study, part, stamp, now)
    response["ETag"] = etag
    response["Cache-Control"] = "no-store"  # or the browser would turn a 304 into a copy it kept
    return _in_its_language(response)


def _in_its_language(response: HttpResponse) -> HttpResponse:
    """A cookie or the browser's wish chooses the language, which is part of the stamp."""
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def _changed(request: HttpRequest, study: Study, part: Part, stamp: Stamp, now: datetime) -> HttpResponse:
    context = _context(request, study, part, stamp, now)
    if context["data"].lines and "page" not in request.GET:
        return HttpResponseClientRefresh()  # opened before there were batches: it has no places for the pieces
    response = render(request, part.fragment, context)
    if request.headers.get("HX-Trigger") == "board-form":  # the address bar follows what was chosen
        replace_url(response, f"{reverse(part.name, args=[study.slug])}?{urlencode(context['chosen'])}")
    return response


def _context(request: HttpRequest, study: Study, part: Part, stamp: Stamp, now: datetime) -> dict[str, Any]:
    page = part.read(study, request.GET)
    return page | {
        "study": study,
        "part": part.name,
        "rate": rate_of(page["data"].total, page["data"].progress, now=now),
        "stamp": stamp,
        "worker_is_silent": stamp.is_worker_silent,
    }
