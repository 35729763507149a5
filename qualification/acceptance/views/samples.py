"""The page of one sample, where controllers take it and team leads decide about its batch."""

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
from qualification.acceptance.selectors.samples import sample_page
from qualification.acceptance.services import reviewing
from qualification.acceptance.services.deciding import confirm_return, is_current, override
from qualification.acceptance.views.curve import curve_picture
from qualification.access import sample_for
from qualification.models import Sample


@login_required
@require_safe
def sample(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, sample_for(request.user, slug, pk, Right.WATCH))


def _page(request: HttpRequest, sample: Sample, form: DecisionForm | None = None) -> HttpResponse:
    found = sample_page(sample)
    own = request.user.pk
    mine = next((each for each in found.reviews if each.participant.user_id == own and each.counted_at is None), None)
    current = is_current(sample)
    context: dict[str, Any] = {
        "page_name": "acceptance",
        "found": found,
        "sample": sample,
        "picture": curve_picture(found.curve, sample.results.get("overall")),
        "mine": mine,
        "under_way": [each for each in found.reviews if each.counted_at is None],
        "has_second": any(each.is_second for each in found.reviews),
        "is_second_possible": all(each.participant.user_id != own for each in found.reviews),
        "is_current": current,
        "is_overridable": current and sample.state == "decided" and not sample.overridden_to,
        "form": form or DecisionForm(sample=sample),
    }
    status = 422 if form else 200
    return study_page(request, sample.batch.study, "qualification/acceptance/sample.html", status=status, **context)


@login_required
@require_POST
def sample_take(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give the user a seat in the private batch, and redirect to its first item or to the consent."""
    sample = sample_for(request.user, slug, pk, Right.REVIEW)
    take = reviewing.take_second_review if "second" in request.POST else reviewing.take_sample
    study = sample.batch.study
    try:
        review = take(sample, user=signed_in(request.user), now=timezone.now())
        if needs_consent(review.participant, study):
            return redirect("consent", slug)
        assignment = claim_seat(review.participant, review.batch, now=timezone.now())
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("sample", slug, pk)
    if sample.plan["is_blind"] or review.is_second:
        return redirect("rate_start", assignment.token)
    return redirect("sample_review", slug, pk)


@login_required
@require_POST
def sample_give_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    sample = sample_for(request.user, slug, pk, Right.REVIEW)
    review = sample.reviews.filter(counted_at=None, given_back_at=None).first()
    with announced(request, _("Another controller can take the sample now.")):
        if review is None:
            raise Refused("over", _("This review is already over."))
        reviewing.give_back(review, by=signed_in(request.user), now=timezone.now())
    return redirect("sample", slug, pk)


@login_required
@require_POST
def sample_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    sample = sample_for(request.user, slug, pk, Right.CLEAR)
    form = DecisionForm(request.POST, sample=sample)
    if not form.is_valid():
        return _page(request, sample, form)
    to, group = form.cleaned_data["to"], form.cleaned_data["group"]
    by, now = signed_in(request.user), timezone.now()
    with announced(request, _("Done. See the batch below.")):
        if to == DecisionForm.CONFIRM:
            confirm_return(sample, group=group, by=by, now=now)
        else:
            override(sample, to=to, reason=form.cleaned_data["reason"], group=group, by=by, now=now)
    return redirect(reverse("sample", args=[slug, pk]) + "#decision")
