"""The page of the qualification's settings, which also shows how often the rule decides correctly."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.models import Study
from annotation.views.pages import announced, errors_in, study_page
from protocols.specs import spec_of
from qualification.access import question_for
from qualification.models import Qualification
from qualification.qualifying.forms import QualificationForm, QuestionForm
from qualification.qualifying.selectors.curve import Curve, curve_of
from qualification.qualifying.selectors.panel import pilots_shown
from qualification.qualifying.selectors.votes import n_judged, panel_figures, panel_state
from qualification.qualifying.services import rule as services
from qualification.qualifying.services.training import left_out, make_training


def qualification_of(study: Study) -> Qualification:
    return Qualification.objects.filter(study=study).first() or Qualification(study=study)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def qualification(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE if request.method == "POST" else Right.CLEAR)
    form = QualificationForm(
        request.POST or None, instance=qualification_of(study), has_qualification=study.has_qualification
    )
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            by, now = signed_in(request.user), timezone.now()
            services.save_qualification(study, is_on=form.cleaned_data["is_on"], values=form.values(), by=by, now=now)
            messages.success(request, _("Saved. Candidates decided earlier keep the earlier rule."))
            return redirect("qualification", slug)
    return _qualification_page(request, study, form=form, status=422 if request.method == "POST" else 200)


def _qualification_page(request: HttpRequest, study: Study, *, status: int = 200, **forms: Any) -> HttpResponse:
    stored = qualification_of(study)
    batches = list(study.batches.filter(kind="qualification", reserved_for=None).order_by("position"))
    context = {
        "page_name": "qualification",
        "qualification": stored,
        "form": QualificationForm(instance=stored, has_qualification=study.has_qualification),
        "question_form": QuestionForm(),
        "questions": list(stored.questions.all()) if stored.pk else [],
        "batches": batches,
        "pilots": pilots_shown(batches),
        "training": list(study.batches.filter(kind="training")),
        "panel": panel_state(stored, [batch.pk for batch in batches if batch.status != "draft"]),
        "curve": _curve(study, stored),
    }
    return study_page(request, study, "qualification/qualifying/rule.html", status=status, **context | forms)


def _curve(study: Study, rule: Qualification) -> Curve:
    n_criteria = len(spec_of(study.protocol_version).voted)
    return curve_of(rule, panel_figures(rule, study), n_judged(study), n_criteria)


@login_required
@require_safe
def qualification_curve(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw the curve of the rule in the form, or of the stored rule if the form is invalid."""
    study = study_for(request.user, slug, Right.CLEAR)
    form = QualificationForm(request.GET, instance=qualification_of(study), has_qualification=study.has_qualification)
    rule = form.instance if form.is_valid() else qualification_of(study)
    return render(request, "qualification/qualifying/_curve.html", {"curve": _curve(study, rule)})


@login_required
@require_POST
def qualification_question_add(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = QuestionForm(request.POST)
    if form.is_valid():
        services.add_question(study, **form.values(), by=signed_in(request.user), now=timezone.now())
        messages.success(request, _("The question is added."))
        return redirect("qualification", slug)
    return _qualification_page(request, study, question_form=form, status=422)


@login_required
@require_POST
def qualification_question_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    services.remove_question(question_for(request.user, slug, pk), by=signed_in(request.user), now=timezone.now())
    messages.success(request, _("The question is removed."))
    return redirect("qualification", slug)


@login_required
@require_POST
def training_make(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    with announced(request):
        made = make_training(study, by=signed_in(request.user), now=timezone.now())
        done = _("The protocol examples are now an open training batch.")
        said = done if made else _("All examples are already in a training batch.")
        messages.success(request, f"{said} {left_out(study)}".strip())
    return redirect("qualification", slug)
