"""Pages to join by an invitation and to return by a personal link."""

import time
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.models import Study
from annotation.selectors.first_steps import CONSENT, first_steps, has_room
from annotation.services import joining
from annotation.services.refusals import Refused
from annotation.views.devices import BACKEND, accounts_here, device_of, keep, remember
from annotation.views.work import after_joining
from parley.cache import count
from protocols.rendering import rendered

JOINS_PER_HOUR = 20  # per address: a class in one room can join, but a script cannot fill the table
SOMEBODY_ELSE = "somebody-else"  # a new account is wanted on a device that knows another
MINE = "mine"  # the account that is now signed in is wanted


@never_cache
@csrf_exempt  # checked below, so that a tab older than an account made in another tab is reloaded
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    study = joining.study_of_invitation(token)
    if study is None:
        raise Http404("No such invitation.")
    if not study.is_joinable or study.status != Study.Status.OPEN:
        context = {"study": study, **_accounts(request)}
        return render(request, "annotation/work_join_closed.html", context, status=410)
    if request.method == "POST":
        answer = csrf_protect(_join)(request, study)
        is_old = answer.status_code == 403 and settings.CSRF_COOKIE_NAME in request.COOKIES
        return redirect(request.path) if is_old else answer
    # Known people continue with their account unless they say they are somebody new.
    if SOMEBODY_ELSE in request.GET:
        return _join_page(request, study)
    participant = study.participants.filter(user=request.user).first() if isinstance(request.user, User) else None
    if participant is not None and MINE in request.GET:
        return after_joining(participant)
    known = _accounts(request)
    if participant is None and (request.user.is_authenticated or not known["accounts"]):
        return _join_page(request, study)
    return render(request, "annotation/work_join_known.html", {"study": study, **known})


def _accounts(request: HttpRequest) -> dict[str, Any]:
    """Return the accounts that can continue here, and where they go."""
    return {"accounts": accounts_here(request), "next": f"{request.path}?{MINE}"}


def _join_page(request: HttpRequest, study: Study, refusal: str = "", status: int = 200) -> HttpResponse:
    context = {
        "study": study,
        "consent": rendered(study.consent_text),
        "refusal": refusal,
        "is_full": not has_room(study, timezone.now()),
        "known": _known(request),
        "steps": first_steps(study, CONSENT) if study.consent_text else [],
        "others": accounts_here(request) if _is_somebody_else(request) else [],
    }
    response = render(request, "annotation/work_join.html", context, status=status)
    keep(response, device_of(request))  # the device has a name from here on: see `Device`
    return response


def _is_somebody_else(request: HttpRequest) -> bool:
    return SOMEBODY_ELSE in request.GET or SOMEBODY_ELSE in request.POST


def _known(request: HttpRequest) -> User | None:
    """Return the account to join with; None for a new one. An account with a password has to sign out first."""
    user = request.user if isinstance(request.user, User) else None
    is_left = user is not None and _is_somebody_else(request) and not user.has_usable_password()
    return None if is_left else user


def _join(request: HttpRequest, study: Study) -> HttpResponse:
    if joined_too_often(request):
        return _join_page(
            request, study, _("Too many people have joined from your network. Try again in an hour."), 429
        )
    known = _known(request)
    if known is None and not _is_somebody_else(request) and accounts_here(request):
        return redirect(request.path)  # somebody joined in another tab meanwhile: ask who it was
    agreed, device = "agree" in request.POST, device_of(request).name
    try:
        participant = joining.join(study, user=known, has_agreed=agreed, now=timezone.now(), device=device)
    except Refused as refused:
        return _join_page(request, study, refused.message, 422 if refused.code == "consent_needed" else 409)
    response = after_joining(participant)
    if known is not None or participant.user is None:
        return response
    login(request, participant.user, backend=BACKEND)
    request.session["has_joined"] = True
    return remember(request, response, participant.user)


def joined_too_often(request: HttpRequest) -> bool:
    address = request.META.get("REMOTE_ADDR", "")
    if getattr(settings, "SECURE_PROXY_SSL_HEADER", None) and "HTTP_X_FORWARDED_FOR" in request.META:
        # Behind our own proxy it is the last hop: anything before that can be made up.
        address = request.META["HTTP_X_FORWARDED_FOR"].rsplit(",", 1)[-1].strip()
    key = f"join:{address}:{int(time.time() // 3600)}"
    return count(key, timeout=2 * 3600) > JOINS_PER_HOUR


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def come_back(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page with a button to sign in: programs that open links in messages must not sign in."""
    user = joining.user_of_return_token(token)
    if user is None:
        return render(request, "annotation/work_return.html", {"person": None}, status=410)
    if request.method == "POST":
        login(request, user, backend=BACKEND)
        return remember(request, redirect("work"), user)
    return render(request, "annotation/work_return.html", {"person": user})
