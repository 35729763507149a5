"""Coming in by a crowd platform, and leaving by it."""

from typing import Any, cast

from csp.decorators import csp_replace, csp_update
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.access import participant_for
from annotation.models import Participant
from annotation.selectors.work import needs_consent
from annotation.services.refusals import Refused
from annotation.views.devices import BACKEND, remember
from annotation.views.join import joined_too_often
from annotation.views.pages import announced
from annotation.views.work import after_joining
from parley.words import both
from protocols.rendering import rendered
from protocols.translating import texts_in
from qualification.access import entry_for, recruitment_by_link
from qualification.forms_recruitment import AboutYouForm
from qualification.models import Entry, Recruitment
from qualification.providers import PROVIDERS
from qualification.providers.base import Arrival, BadArrival, Provider
from qualification.selectors.recruitment import studies_that_ask
from qualification.selectors.recruitment_ways import way_of
from qualification.services import entering
from qualification.services.consent_texts import fingerprint_of
from qualification.services.demographics import SELF, tell_about_oneself
from qualification.services.ending import end_entry, ending_of

STATUS = {"consent_needed": 422, "not_open": 410}
IN_TAB = "tab"  # a parameter of ours: the page is not in the platform's frame any more


# --- coming in -------------------------------------------------------------------------------------------
@never_cache
@csrf_exempt  # checked below: a tab that is older than the sign-in of another shows its page anew
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, token: str, provider: str) -> HttpResponse:
    recruitment = recruitment_by_link(token, provider)
    if request.method == "POST":
        answer = csrf_protect(_enter)(request, recruitment)
        return redirect(request.path) if answer.status_code == 403 else answer
    return _arrive(request, recruitment, PROVIDERS[provider])


def _arrive(request: HttpRequest, recruitment: Recruitment, provider: Provider) -> HttpResponse:
    """The platform's parameters are taken from the address into the session, signed and for some hours."""
    asked = request.GET.dict()
    if provider.is_preview(asked):
        return _preview(request, recruitment, provider)
    if not provider.has_parameters(asked):
        return _welcome(request, recruitment)
    try:
        arrival = provider.arrival(asked, settings.MTURK_SUBMIT_TO)
    except BadArrival as bad:
        return _no_arrival(request, recruitment, bad.names)
    if provider.frame_hosts and IN_TAB not in asked:
        return _frame_page(request, recruitment, provider, arrival)
    request.session[_session_key(recruitment)] = entering.sign_arrival(arrival)
    return redirect(request.path)


def _session_key(recruitment: Recruitment) -> str:
    return f"arrival-{recruitment.study_id}-{recruitment.provider}"


def _arrival(request: HttpRequest, recruitment: Recruitment) -> Arrival | None:
    return entering.read_arrival(request.session.get(_session_key(recruitment), ""))


def _no_arrival(request: HttpRequest, recruitment: Recruitment, names: tuple[str, ...] = ()) -> HttpResponse:
    provider = PROVIDERS[recruitment.provider]
    context = {"study": recruitment.study, "provider": provider, "names": both(names)}
    return render(request, "qualification/entry_problem.html", context, status=400)


def _welcome(request: HttpRequest, recruitment: Recruitment, refusal: str = "", status: int = 200) -> HttpResponse:
    arrival = _arrival(request, recruitment)
    if arrival is None:
        return _no_arrival(request, recruitment)
    known = entering.entry_of(recruitment, arrival)
    if known is None and not entering.is_open(recruitment, recruitment.study):
        status = 410
    elif known and known.session == arrival.session and _is_theirs(request, known) and not refusal:
        return _on(known)
    study = recruitment.study
    context = {
        "study": study, "provider": PROVIDERS[recruitment.provider], "known": known, "is_closed": status == 410,
        "consent": rendered(study.consent_text), "shown": fingerprint_of(study), "refusal": refusal,
    }  # fmt: skip
    return render(request, "qualification/entry.html", context, status=status)


def _is_theirs(request: HttpRequest, entry: Entry) -> bool:
    return entry.participant is not None and entry.participant.user_id == request.user.pk


def _on(entry: Entry) -> HttpResponse:
    return redirect("work") if entry.state == Entry.State.ENTERED else redirect("entry_end", entry.study.slug)


def _enter(request: HttpRequest, recruitment: Recruitment) -> HttpResponse:
    arrival = _arrival(request, recruitment)
    if arrival is None:
        return _no_arrival(request, recruitment)
    if "refuse" in request.POST:
        return _refused(request, recruitment)
    if joined_too_often(request):
        return _welcome(request, recruitment, _("Too many people came from your address. Try again in an hour."), 429)
    try:
        entry = _sign_in(request, recruitment, arrival)
    except Refused as refused:
        return _welcome(request, recruitment, refused.message, STATUS.get(refused.code, 409))
    if entry.participant is None or entry.participant.user is None:
        return _on(entry)
    is_at_work = entry.state == Entry.State.ENTERED
    response = after_joining(entry.participant) if is_at_work else _on(entry)
    return remember(request, response, entry.participant.user)


def _sign_in(request: HttpRequest, recruitment: Recruitment, arrival: Arrival) -> Entry:
    user = request.user if isinstance(request.user, User) else None
    agreed = request.POST.get("shown", "") if "agree" in request.POST else None
    entry = entering.enter(recruitment, arrival, agreed=agreed, user=user, now=timezone.now())
    if not _is_theirs(request, entry):
        login(request, entering.account_of(entry), backend=BACKEND)
    return entry


def _refused(request: HttpRequest, recruitment: Recruitment) -> HttpResponse:
    """Nothing is stored of somebody who does not agree."""
    del request.session[_session_key(recruitment)]
    context = {"study": recruitment.study, "provider": PROVIDERS[recruitment.provider]}
    return render(request, "qualification/entry_refused.html", context)


def _preview(request: HttpRequest, recruitment: Recruitment, provider: Provider) -> HttpResponse:
    """What the work is, to somebody who only looks: not a word of the material."""
    study = recruitment.study
    words = texts_in(study.protocol_version, study.content_language)
    context = {"guidelines": rendered(words.guidelines_short)}
    return _framed(request, recruitment, provider, "qualification/entry_preview.html", **context)


# --- within the platform's frame ---------------------------------------------------------------------------
def _frame_page(request: HttpRequest, recruitment: Recruitment, provider: Provider, arrival: Arrival) -> HttpResponse:
    """Browsers keep no cookies for a page in another's frame: the work is done in a tab of its own."""
    context = {
        "tab_url": f"{request.path}?{urlencode(request.GET.dict() | {IN_TAB: '1'})}",
        "submit_url": arrival.submit_to + provider.end_path,
        "fields": {provider.session_field: arrival.session},
    }
    return _framed(request, recruitment, provider, "qualification/entry_frame.html", arrival.submit_to, **context)


def _framed(
    request: HttpRequest, recruitment: Recruitment, provider: Provider, template: str, submit_to: str = "", **more: Any
) -> HttpResponse:
    """Only this page, only in the frame of its platform."""
    if not provider.frame_hosts:
        raise Http404("This platform has no frame.")
    context = {"study": recruitment.study, "provider": provider, **more}
    answer = _posting_page(request, template, context, provider, submit_to)
    framed = csp_replace({"frame-ancestors": list(provider.frame_hosts)})(lambda _request: answer)
    return cast(HttpResponse, xframe_options_exempt(framed)(request))


def _posting_page(
    request: HttpRequest, template: str, context: dict[str, Any], provider: Provider, submit_to: str
) -> HttpResponse:
    """Its form may go to the platform, which no other page of ours may post to."""
    answer = render(request, template, context)
    if not submit_to:
        return answer
    posting = csp_update({"form-action": _posts_to(provider, submit_to)})(lambda _request: answer)
    return cast(HttpResponse, posting(request))


def _posts_to(provider: Provider, submit_to: str) -> list[str]:
    """The platform answers a form by sending the browser to another host of its own, which the policy counts too."""
    return [submit_to, *(host for host in provider.frame_hosts if host != submit_to)]


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
    return _end_page(request, entry)


def _end_page(request: HttpRequest, entry: Entry) -> HttpResponse:
    provider = PROVIDERS[entry.provider]
    context: dict[str, Any] = {"study": entry.study, "entry": entry, "provider": provider}
    if entry.state == Entry.State.ENTERED:
        return render(request, "qualification/entry_not_yet.html", context | {"way": way_of(entry, timezone.now())})
    context["ending"] = ending_of(entry, entry.study.recruitment)
    return _posting_page(request, "qualification/entry_end.html", context, provider, entry.submit_to)


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
    form = _about_you_form(request, participant)
    if request.method == "POST" and form.is_valid():
        tell_about_oneself(participant, form.said(), now=timezone.now())
        return redirect("work")
    context = {"study": participant.study, "form": form}
    return render(request, "qualification/entry_about_you.html", context, status=422 if form.errors else 200)


def _about_you_form(request: HttpRequest, participant: Participant) -> AboutYouForm:
    """With what they said before."""
    stored = participant.demographics.filter(origin=SELF).values_list("fields", flat=True).first() or {}
    initial = {key: stored.get(name) for key, name in AboutYouForm.FIELDS.items()}
    return AboutYouForm(request.POST if request.method == "POST" else None, initial=initial)
