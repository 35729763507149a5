"""One inspection: its page, who takes it, and what a lead decides about it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Right, signed_in
from annotation.selectors.work import needs_consent
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from annotation.views.pages import announced, study_page
from qualification.acceptance.forms import DecisionForm
from qualification.acceptance.selectors.samples import inspection_page
from qualification.acceptance.services import reviewing as checking
from qualification.acceptance.services.deciding import confirm_return, is_current, override
from qualification.acceptance.views.curve import curve_picture
from qualification.access import inspection_for
from qualification.models import Check, Inspection


@login_required
@require_safe
def control_inspection(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, inspection_for(request.user, slug, pk, Right.WATCH))


def _page(request: HttpRequest, inspection: Inspection, form: DecisionForm | None = None) -> HttpResponse:
    found = inspection_page(inspection)
    mine = next((each for each in found.checks if _is_mine(request, each)), None)
    current = is_current(inspection)
    context: dict[str, Any] = {
        "page_name": "control",
        "found": found,
        "inspection": inspection,
        "picture": curve_picture(found.curve, inspection.figures.get("overall")),
        "mine": mine,
        "under_way": [each for each in found.checks if each.counted_at is None],
        "has_second": any(each.is_second for each in found.checks),
        "is_second_possible": all(each.participant.user_id != request.user.pk for each in found.checks),
        "is_current": current,
        "is_overridable": current and inspection.state == "decided" and not inspection.overridden_to,
        "form": form or DecisionForm(inspection=inspection),
    }
    status = 422 if form else 200
    return study_page(request, inspection.batch.study, "qualification/acceptance/sample.html", status=status, **context)


def _is_mine(request: HttpRequest, check: Check) -> bool:
    return check.participant.user_id == request.user.pk and check.counted_at is None


@login_required
@require_POST
def control_take(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """To the first item, with a seat of the private batch."""
    inspection = inspection_for(request.user, slug, pk, Right.CONTROL)
    take = checking.take_second_check if "second" in request.POST else checking.take_inspection
    try:
        check = take(inspection, user=signed_in(request.user), now=timezone.now())
        return _begin(inspection, check)
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("control_inspection", slug, pk)


def _begin(inspection: Inspection, check: Check) -> HttpResponse:
    study = inspection.batch.study
    if needs_consent(check.participant, study):
        return redirect("consent", study.slug)
    assignment = claim_seat(check.participant, check.batch, now=timezone.now())
    if inspection.plan["is_blind"] or check.is_second:
        return redirect("rate_start", assignment.token)
    return redirect("control_check", study.slug, inspection.pk)


@login_required
@require_POST
def control_give_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    inspection = inspection_for(request.user, slug, pk, Right.CONTROL)
    check = inspection.checks.filter(counted_at=None, given_back_at=None).first()
    with announced(request, _("Another controller can take the sample now.")):
        if check is None:
            raise Refused("over", _("This check is over already."))
        checking.give_back(check, by=signed_in(request.user), now=timezone.now())
    return redirect("control_inspection", slug, pk)


@login_required
@require_POST
def control_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    inspection = inspection_for(request.user, slug, pk, Right.CLEAR)
    form = DecisionForm(request.POST, inspection=inspection)
    if not form.is_valid():
        return _page(request, inspection, form)
    to, group = form.cleaned_data["to"], form.cleaned_data["group"]
    by, now = signed_in(request.user), timezone.now()
    with announced(request, _("It is done: see the batch below.")):
        if to == DecisionForm.CONFIRM:
            confirm_return(inspection, group=group, by=by, now=now)
        else:
            override(inspection, to=to, reason=form.cleaned_data["reason"], group=group, by=by, now=now)
    return redirect(reverse("control_inspection", args=[slug, pk]) + "#decision")
