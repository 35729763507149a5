"""The pages on which people arrive from a crowd platform and return to it."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.access import participant_for
from annotation.selectors.work import needs_consent
from annotation.services.refusals import Refused
from annotation.views.devices import BACKEND, remember
from annotation.views.join import joined_too_often
from annotation.views.pages import announced
from annotation.views.work import after_joining
from parley.listing import both
from protocols.rendering import rendered
from qualification.access import entry_for, recruitment_by_link
from qualification.models import Entry, Recruitment
from qualification.recruitment.forms import AboutYouForm
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.platforms.base import Arrival, BadArrival
from qualification.recruitment.selectors.exit_rules import way_of
from qualification.recruitment.selectors.facts import studies_that_ask
from qualification.recruitment.services import arrival as arrivals
from qualification.recruitment.services.completion import end_entry, ending_of
from qualification.recruitment.services.consent_texts import fingerprint_of
from qualification.recruitment.services.demographics import SELF, tell_about_oneself

STATUS = {"consent_needed": 422, "not_open": 410}


# --- coming in -------------------------------------------------------------------------------------------
@never_cache
@csrf_exempt  # checked below, so that a tab opened before a sign-in in another tab reloads its page
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, token: str, provider: str) -> HttpResponse:
    recruitment = recruitment_by_link(token, provider)
    if PROVIDERS[provider].is_closed:
        raise Http404("This platform has closed.")
    if request.method == "POST":
        answer = csrf_protect(_enter)(request, recruitment)
        return redirect(request.path) if answer.status_code == 403 else answer
    asked = request.GET.dict()
    if not any(name in asked for name in PROVIDERS[provider].parameters):
        return _welcome(request, recruitment)
    try:
        arrival = PROVIDERS[provider].arrival(asked)
    except BadArrival as bad:
        return _no_arrival(request, recruitment, bad.names)
    # The platform's parameters move from the address into the session, signed and valid for some hours.
    request.session[_session_key(recruitment)] = arrivals.sign_arrival(arrival)
    return redirect(request.path)


def _session_key(recruitment: Recruitment) -> str:
    return f"arrival-{recruitment.study_id}-{recruitment.provider}"


def _arrival(request: HttpRequest, recruitment: Recruitment) -> Arrival | None:
    return arrivals.read_arrival(request.session.get(_session_key(recruitment), ""))


def _no_arrival(request: HttpRequest, recruitment: Recruitment, names: tuple[str, ...] = ()) -> HttpResponse:
    provider = PROVIDERS[recruitment.provider]
    context = {"study": recruitment.study, "provider": provider, "names": both(names)}
    return render(request, "qualification/recruitment/problem.html", context, status=400)


def _welcome(request: HttpRequest, recruitment: Recruitment, refusal: str = "", status: int = 200) -> HttpResponse:
    arrival = _arrival(request, recruitment)
    if arrival is None:
        return _no_arrival(request, recruitment)
    known = arrivals.entry_of(recruitment, arrival)
    if known is None and not arrivals.is_open(recruitment, recruitment.study):
        status = 410
    elif known and known.session == arrival.session and _is_theirs(request, known) and not refusal:
        return _on(known)
    study = recruitment.study
    context = {
        "study": study, "provider": PROVIDERS[recruitment.provider], "known": known, "is_closed": status == 410,
        "consent": rendered(study.consent_text), "shown": fingerprint_of(study), "refusal": refusal,
    }  # fmt: skip
    return render(request, "qualification/recruitment/arrival.html", context, status=status)


def _is_theirs(request: HttpRequest, entry: Entry) -> bool:
    return entry.participant is not None and entry.participant.user_id == request.user.pk


def _on(entry: Entry) -> HttpResponse:
    return redirect("work") if entry.state == Entry.State.ENTERED else redirect("entry_end", entry.study.slug)


def _enter(request: HttpRequest, recruitment: Recruitment) -> HttpResponse:
    arrival = _arrival(request, recruitment)
    if arrival is None:
        return _no_arrival(request, recruitment)
    if "refuse" in request.POST:
        # Nothing is stored about somebody who does not agree.
        del request.session[_session_key(recruitment)]
        context = {"study": recruitment.study, "provider": PROVIDERS[recruitment.provider]}
        return render(request, "qualification/recruitment/refused.html", context)
    if joined_too_often(request):
        return _welcome(
            request, recruitment, _("Too many people have come from your network address. Try again in an hour."), 429
        )
    try:
        user = request.user if isinstance(request.user, User) else None
        agreed = request.POST.get("shown", "") if "agree" in request.POST else None
        entry = arrivals.enter(recruitment, arrival, agreed=agreed, user=user, now=timezone.now())
        if not _is_theirs(request, entry):
            login(request, arrivals.account_of(entry), backend=BACKEND)
    except Refused as refused:
        return _welcome(request, recruitment, refused.message, STATUS.get(refused.code, 409))
    if entry.participant is None or entry.participant.user is None:
        return _on(entry)
    is_at_work = entry.state == Entry.State.ENTERED
    response = after_joining(entry.participant) if is_at_work else _on(entry)
    return remember(request, response, entry.participant.user)


# --- leaving -------------------------------------------------------------------------------------------------
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def finish(request: HttpRequest, slug: str) -> HttpResponse:
    entry = entry_for(request.user, slug)
    if request.method == "POST":
        with announced(request):
            end_entry(entry, now=timezone.now())
        return redirect("entry_end", slug)
    context: dict[str, Any] = {"study": entry.study, "entry": entry, "provider": PROVIDERS[entry.provider]}
    if entry.state == Entry.State.ENTERED:
        context["way"] = way_of(entry, timezone.now())
        return render(request, "qualification/recruitment/not_yet.html", context)
    context["ending"] = ending_of(entry, entry.study.recruitment)
    return render(request, "qualification/recruitment/completion.html", context)


# --- about oneself ---------------------------------------------------------------------------------------------
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def about_you(request: HttpRequest, slug: str) -> HttpResponse:
    participant = participant_for(request.user, slug)
    if not studies_that_ask([participant.study_id]):
        raise Http404("This study does not ask.")
    if needs_consent(participant, participant.study):
        return redirect("consent", slug)
    stored = participant.demographics.filter(origin=SELF).values_list("fields", flat=True).first() or {}
    said_before = {key: stored.get(name) for key, name in AboutYouForm.FIELDS.items()}
    form = AboutYouForm(request.POST if request.method == "POST" else None, initial=said_before)
    if request.method == "POST" and form.is_valid():
        tell_about_oneself(participant, form.said(), now=timezone.now())
        return redirect("work")
    context = {"study": participant.study, "form": form}
    return render(request, "qualification/recruitment/about_you.html", context, status=422 if form.errors else 200)
