"""Pages of model judges: estimate a run, start it, watch it, and read its prompts and replies."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, judge_run_for, signed_in, study_for
from annotation.judges import runs as judging
from annotation.judges.forms import JudgeForm
from annotation.judges.prompts import not_judged
from annotation.judges.runs import Needs
from annotation.models import JudgeCall, JudgeRun
from annotation.selectors.health import imports_are_stalled
from annotation.views.pages import announced, errors_in, page_of, study_page
from parley.progress import STOP_POLLING
from protocols.specs import spec_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def judge_runs(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = JudgeForm(request.POST or None, study=study)
    needs: Needs | None = None
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            if request.POST.get("do") in ("try", "start"):
                is_trial = request.POST["do"] == "try"
                run = judging.start_run(
                    study, signed_in(request.user), form.cleaned_data, is_trial=is_trial, now=timezone.now()
                )
                return redirect("judge_run", slug, run.token)
            plan = judging.planned_run(study, signed_in(request.user), form.cleaned_data, now=timezone.now())
            needs = judging.needs_of(plan)
    return study_page(
        request,
        study,
        "annotation/judges.html",
        status=422 if form.errors else 200,
        form=form,
        needs=needs,
        currency=form.cleaned_data.get("currency", "") if needs else "",
        runs=page_of(request, study.judge_runs.select_related("user").order_by("-pk")),
        is_configured=judging.is_configured(),
        not_judged=not_judged(spec_of(study.protocol_version)),
        can_judge=bool(form.fields["criteria"].choices),  # type: ignore[attr-defined]
    )


@login_required
@never_cache
@require_safe
def judge_run(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    run = judge_run_for(request.user, slug, token)
    calls = run.calls.select_related("criterion", "option", "candidate__dialogue", "dialogue").order_by("-pk")
    wanted = request.GET.get("status", "")
    if wanted in JudgeCall.Status.values:
        calls = calls.filter(status=wanted)
    return study_page(
        request,
        run.study,
        "annotation/judge.html",
        page=page_of(request, calls),
        wanted=wanted,
        query=f"&status={wanted}" if wanted in JudgeCall.Status.values else "",
        statuses=JudgeCall.Status.choices,
        **_run_context(run),
    )


@login_required
@never_cache
@require_safe
def judge_run_status(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    run = judge_run_for(request.user, slug, token)
    context = {"study": run.study, **_run_context(run)}
    return render(
        request, "annotation/_judge_progress.html", context, status=200 if context["is_at_work"] else STOP_POLLING
    )


@login_required
@require_POST
def judge_run_act(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    """Stop or resume the run."""
    run = judge_run_for(request.user, slug, token)
    if request.POST.get("do") == "resume":
        with announced(request, _("The judge has resumed.")):
            judging.resume_run(run, now=timezone.now())
    else:
        with announced(request, _("The judge stops after the current request.")):
            judging.stop_run(run)
    return redirect("judge_run", slug, run.token)


def _run_context(run: JudgeRun) -> dict[str, Any]:
    n_over = run.n_answered + run.n_refused + run.n_malformed + run.n_rejected
    is_at_work = run.status in judging.UNDER_WAY
    cost = judging.cost_of(run, run.tokens_prompt, run.tokens_answer)
    return {
        "is_tried": run.is_trial and run.status == JudgeRun.Status.STOPPED and n_over > 0,
        "n_left": run.n_total - n_over,
        "cost_of_all": cost * run.n_total / n_over if cost is not None and n_over else None,
        "run": run,
        "n_over": n_over,
        "percent": 100 * n_over // run.n_total if run.n_total else 0,
        "cost": cost,
        "is_at_work": is_at_work,
        "can_resume": run.status in judging.OVER_FOR_NOW,
        "error": _(run.error) if run.error else "",
        "worker_is_silent": is_at_work and imports_are_stalled(timezone.now()),
    }
