"""Let a browser remember accounts without a password: set the cookie, continue as one of them, and sign out."""

from allauth.account.views import logout as sign_out_by_password
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.services.devices import (
    LASTS,
    Device,
    accounts_on,
    read_device,
    sign_device,
    with_account,
    without_account,
)
from annotation.services.joining import has_personal_link, make_return_token

BACKEND = "parley.backends.AccountBackend"
COOKIE = "parley-device"
NO_PAGES = ("claim", "briefed")  # they only accept POST, so nobody can be redirected to them


def device_of(request: HttpRequest) -> Device:
    return read_device(request.COOKIES.get(COOKIE, ""))


def keep(response: HttpResponse, device: Device) -> None:
    """Set the device's cookie for a year from now."""
    response.set_cookie(
        COOKIE,
        sign_device(device),
        max_age=LASTS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def remember(request: HttpRequest, response: HttpResponse, user: User) -> HttpResponse:
    """Remember the account on this device as its newest, unless it has a password to sign in with."""
    if not user.has_usable_password():
        keep(response, with_account(device_of(request), user))
    return response


def accounts_here(request: HttpRequest) -> list[User]:
    """Return the signed-in account, then the others that this device knows."""
    known = accounts_on(device_of(request))
    if not isinstance(request.user, User):
        return known
    return [request.user, *(user for user in known if user != request.user)]


def personal_link(request: HttpRequest, user: User) -> str:
    """Return the account's personal link; empty for accounts that sign in with a password."""
    if not has_personal_link(user):
        return ""
    return request.build_absolute_uri(reverse("return", args=[make_return_token(user)]))


@never_cache
@require_POST
def continue_as(request: HttpRequest) -> HttpResponse:
    """Sign in again as an account that this device knows."""
    named = (user for user in accounts_on(device_of(request)) if user.get_username() == request.POST.get("account"))
    user = next(named, None)
    if user is None:
        text = _("This device no longer recognises this account. Open your personal link to return.")
        messages.error(request, text)
        return redirect("account_login")
    if user != request.user:
        login(request, user, backend=BACKEND)
    path = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(path, {request.get_host()}, require_https=request.is_secure())
    return remember(request, redirect(path if is_ours and _is_page(path) else reverse("work")), user)


def _is_page(path: str) -> bool:
    try:
        return resolve(path.partition("?")[0]).url_name not in NO_PAGES
    except Resolver404:
        return False


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign out. People without a password first see their personal link, and may have this device forget them."""
    user = request.user
    link = personal_link(request, user) if isinstance(user, User) else ""
    if not isinstance(user, User) or not link:
        return sign_out_by_password(request)
    if request.POST.get("device") not in ("keep", "forget"):
        return render(request, "annotation/work_sign_out.html", {"link": link})
    logout(request)
    response = redirect("account_login")
    if request.POST["device"] == "forget":
        keep(response, without_account(device_of(request), user))
    return response
