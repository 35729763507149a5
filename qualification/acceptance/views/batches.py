"""The pages of batch acceptance: every batch with its state, and the plan."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.models import Study
from annotation.selectors.studies import usual_batch_size
from annotation.views.pages import errors_in, page_of, study_page
from protocols.specs import spec_of
from qualification.acceptance.forms import AcceptancePlanForm
from qualification.acceptance.selectors import batches as selectors
from qualification.acceptance.selectors.plans import (
    PUBLISHED_SIZE,
    assumed_sizes,
    class_options,
    criterion_of,
    curve_of_rule,
    plan_as_data,
    rule_of,
)
from qualification.acceptance.services.sweeping import save_plan
from qualification.acceptance.views.curve import curve_picture
from qualification.models import AcceptancePlan


@login_required
@require_safe
def acceptance(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    plan, page = selectors.plan_of(study), page_of(request, selectors.main_batches(study))
    criterion = criterion_of(spec_of(study.protocol_version), plan.criterion.key) if plan.criterion else None
    context: dict[str, Any] = {
        "page_name": "acceptance",
        "plan": plan,
        "rule": plan_as_data(plan, criterion) if criterion else None,
        "criterion": criterion,
        "page": page,
        "rows": selectors.rows_of(list(page)),
        "rounds": selectors.rounds_of(study),
        "rework_hours": selectors.rework_hours(study),
        "kappa": selectors.controllers_agree(study, criterion) if criterion else None,
    }
    return study_page(request, study, "qualification/acceptance/batches.html", **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def acceptance_plan(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = AcceptancePlanForm(request.POST or None, instance=selectors.plan_of(study), study=study)
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            save_plan(form.instance, by=signed_in(request.user), now=timezone.now())
            messages.success(request, _("The plan is saved. It applies to samples drawn from now on."))
            return redirect("acceptance", slug)
    context = {"page_name": "acceptance", "form": form, **_pictured(study, form.instance)}
    status = 422 if form.errors else 200
    return study_page(request, study, "qualification/acceptance/plan.html", status=status, **context)


@login_required
@require_safe
def acceptance_plan_curve(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw the curve of the plan in the form, before it is saved."""
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = AcceptancePlanForm(request.GET, instance=selectors.plan_of(study), study=study)
    context = _pictured(study, form.instance) if form.is_valid() else {"is_unclear": True}
    return render(request, "qualification/acceptance/_plan_curve.html", context)


def _pictured(study: Study, plan: AcceptancePlan) -> dict[str, Any]:
    """Return the plan's curve for class sizes of the last sampled batch, or for assumed ones before the first."""
    spec = spec_of(study.protocol_version)
    criterion = criterion_of(spec, plan.criterion.key) if plan.criterion else None
    n_classes = len(class_options(criterion)) if criterion else 3
    known = selectors.known_sizes(study)
    sizes = known or assumed_sizes(n_classes, usual_batch_size(study) or PUBLISHED_SIZE)
    try:
        curve = curve_of_rule(rule_of(plan.kind, vars(plan)), sizes)
    except ValueError:
        return {"is_unclear": True}
    return {"picture": curve_picture(curve), "n_items": sum(sizes), "n_classes": len(sizes), "is_known": bool(known)}
