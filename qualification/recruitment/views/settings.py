"""The pages of recruitment: whom a study wants, who came, and the files to and from their platform."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, annotator_for, signed_in, study_for
from annotation.models import Study
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.views.pages import announced, errors_in, page_of, study_page
from parley.formulas import csv_file
from protocols.rendering import rendered
from qualification.models import Recruitment
from qualification.pay.forms import PaidOutForm
from qualification.recruitment.forms import DemographicsFileForm, RecruitmentForm
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.selectors import demographics as people
from qualification.recruitment.selectors import facts as selectors
from qualification.recruitment.services import payouts
from qualification.recruitment.services.demographics import forget_demographics, import_demographics
from qualification.recruitment.services.settings import save_recruitment

MOST_BYTES = 11 * 1024 * 1024  # a little above the limit of the service, so that the service reports the error


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def recruitment(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    if request.method != "POST":
        return _page(request, study)
    form = RecruitmentForm(request.POST, instance=selectors.recruitment_of(study))
    if form.is_valid():
        with errors_in(form):
            save_recruitment(study, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The recruitment settings are saved."))
            return redirect("recruitment", slug)
    return _page(request, study, status=422, form=form)


def _page(request: HttpRequest, study: Study, *, status: int = 200, **more: Any) -> HttpResponse:
    stored = selectors.recruitment_of(study)
    context: dict[str, Any] = {
        "page_name": "recruitment",
        "recruitment": stored,
        "provider": PROVIDERS.get(stored.provider),
        "link": _link(request, study, stored),
        "form": RecruitmentForm(instance=stored),
        "came": selectors.came_by_platform(study),
        "texts": [(kept, rendered(kept.text)) for kept in selectors.consent_texts_of(study)],
        "table": people.demographics_of(study),
        "page": page_of(request, people.people_with_demographics(study)),
        "file_form": DemographicsFileForm(),
        **_owed(study),
    }
    return study_page(request, study, "qualification/recruitment/settings.html", status=status, **context | more)


def _link(request: HttpRequest, study: Study, stored: Recruitment) -> str:
    """Return the address to enter on the platform. It is not quoted, because the platform fills in the braces."""
    provider = PROVIDERS.get(stored.provider)
    if provider is None or provider.is_closed:
        return ""
    path = reverse("enter", args=[study.join_token, provider.key])
    return request.build_absolute_uri(path) + provider.link_parameters


def _owed(study: Study) -> dict[str, Any]:
    try:
        bonuses = payouts.bonuses_of(study)
        return {"bonuses": bonuses, "currency": payouts.currency_of(bonuses)}
    except Refused as refused:
        return {"bonuses": None, "bonuses_refused": "" if refused.code == "no_platform" else refused.message}


# --- files for the platform --------------------------------------------------------------------------------
@login_required
@require_safe
def approvals(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    with announced(request):
        return _file(payouts.approvals_csv(study), f"{study.slug}-approvals.csv")
    return redirect("recruitment", slug)


@login_required
@require_safe
def bonuses(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = PaidOutForm(request.GET)
    seen = form.cleaned_data if form.is_valid() else {}
    with announced(request):
        return _file(payouts.bonuses_csv(study, **seen), f"{study.slug}-bonuses.csv")
    return redirect("recruitment", slug)


def _file(text: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_POST
def bonuses_paid(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = PaidOutForm(request.POST)
    if form.is_valid():
        with announced(request):
            by = signed_in(request.user)
            n = payouts.mark_bonuses_paid(study, **form.cleaned_data, by=by, now=timezone.now())
            said = ngettext(
                "The bonus of %(n)s person is marked as paid.", "The bonuses of %(n)s people are marked as paid.", n
            )
            messages.success(request, said % {"n": n})
    return redirect("recruitment", slug)


# --- demographics --------------------------------------------------------------------------------------------
@login_required
@require_POST
def demographics(request: HttpRequest, slug: str) -> HttpResponse:
    """Import a file and show the outcome without a redirect: after a dry run nothing is stored to redirect to."""
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = DemographicsFileForm(request.POST, request.FILES)
    outcome = None
    if form.is_valid():
        with errors_in(form):
            outcome = import_demographics(
                study, payouts.provider_of(study), form.cleaned_data["file"].read(MOST_BYTES),
                is_dry_run=form.cleaned_data["is_dry_run"], by=signed_in(request.user), now=timezone.now(),
            )  # fmt: skip
    is_wrong = outcome is None or bool(outcome.faults)
    is_stored = not is_wrong and not form.cleaned_data["is_dry_run"]
    context = {"file_form": form, "outcome": outcome, "is_stored": is_stored}
    return _page(request, study, status=422 if is_wrong else 200, **context)


@login_required
@require_POST
def demographics_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a file with a row per person and origin, by pseudonym, for owners. The download is logged."""
    study = study_for(request.user, slug, Right.MEMBERS)
    rows = people.demographics_rows(study)
    names = list(dict.fromkeys(name for _who, _origin, fields in rows for name in fields))
    cells = ([who, origin, *(fields.get(name, "") for name in names)] for who, origin, fields in rows)
    text = csv_file(["annotator", "origin", *names], cells)
    details = {"rows": len(rows)}
    activity.log(study, signed_in(request.user), "demographics_file", details=details, now=timezone.now())
    return _file(text, f"{study.slug}-demographics.csv")


@login_required
@require_POST
def forget(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    participant = annotator_for(request.user, slug, token, Right.MEMBERS)
    if forget_demographics(participant, by=signed_in(request.user), now=timezone.now()):
        said = _("The demographics of %(name)s are deleted; their ratings stay.")
        messages.success(request, said % {"name": participant.pseudonym})
    return redirect("recruitment", slug)
