"""Coming in by an invitation, and coming back by a personal link."""

import time

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.models import Study
from annotation.services import joining
from annotation.services.refusals import Refused
from annotation.views.work import after_joining
from parley.cache import count
from protocols.rendering import rendered

BACKEND = "parley.backends.AccountBackend"
JOINS_PER_HOUR = 20  # by address: a class in one room may join, a script may not fill the table


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    study = joining.study_of_invitation(token)
    if study is None:
        raise Http404("No such invitation.")
    if not study.is_joinable or study.status != Study.Status.OPEN:
        return render(request, "annotation/work_join_closed.html", {"study": study}, status=410)
    if request.method == "POST":
        return _join(request, study)
    return _join_page(request, study)


def _join_page(request: HttpRequest, study: Study, refusal: str = "", status: int = 200) -> HttpResponse:
    context = {"study": study, "consent": rendered(study.consent_text), "refusal": refusal}
    return render(request, "annotation/work_join.html", context, status=status)


def _join(request: HttpRequest, study: Study) -> HttpResponse:
    if joined_too_often(request):
        return _join_page(request, study, _("Too many people joined from your address. Try again in an hour."), 429)
    known = request.user if request.user.is_authenticated else None
    try:
        participant = joining.join(study, user=known, has_agreed="agree" in request.POST, now=timezone.now())
    except Refused as refused:
        return _join_page(request, study, refused.message, 422 if refused.code == "consent_needed" else 409)
    if known is None and participant.user is not None:
        login(request, participant.user, backend=BACKEND)
        path = reverse("return", args=[joining.make_return_token(participant.user)])
        request.session["return_link"] = request.build_absolute_uri(path)
    return after_joining(participant)


def joined_too_often(request: HttpRequest) -> bool:
    key = f"join:{_address(request)}:{int(time.time() // 3600)}"
    return count(key, timeout=2 * 3600) > JOINS_PER_HOUR


def _address(request: HttpRequest) -> str:
    """Behind our own proxy the last hop it names: anything before that can be made up."""
    if getattr(settings, "SECURE_PROXY_SSL_HEADER", None) and "HTTP_X_FORWARDED_FOR" in request.META:
        return request.META["HTTP_X_FORWARDED_FOR"].rsplit(",", 1)[-1].strip()
    return request.META.get("REMOTE_ADDR", "")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def come_back(request: HttpRequest, token: str) -> HttpResponse:
    """A page with a button: programs that look at links in messages must not sign in."""
    user = joining.user_of_return_token(token)
    if user is None:
        return render(request, "annotation/work_return.html", {"person": None}, status=410)
    if request.method == "POST":
        login(request, user, backend=BACKEND)
        return redirect("work")
    return render(request, "annotation/work_return.html", {"person": user})
