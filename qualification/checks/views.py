"""The pages of checks: flags and decisions about them, known answers, and settings."""

import tempfile
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.importing.outcome import ImportRejected
from annotation.models import Study
from annotation.views.pages import announced, errors_in, page_of, study_page
from qualification.access import flag_for
from qualification.checks.forms import CheckPlanForm, DecisionForm, KnownAnswersForm, PanelForm
from qualification.checks.selectors import pages as selectors
from qualification.checks.selectors.repeats import repeats_of
from qualification.checks.services.flags import decide_flag
from qualification.checks.services.inserting import insert_checks
from qualification.checks.services.known_answers import import_known_answers, mark_from_panel
from qualification.checks.services.plans import save_check_plan
from qualification.models import CheckPlan, Flag

SHOWN_ERRORS = 50


# --- flags -------------------------------------------------------------------------------------------
@login_required
@require_safe
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    pseudonym = request.GET.get("annotator", "").replace("\x00", "")
    decided = page_of(request, selectors.decided_flags(study, pseudonym))

    waiting = selectors.open_flags(study, pseudonym)
    context: dict[str, Any] = {
        "page_name": "checks",
        "plan": selectors.plan_of(study),
        "open_flags": selectors.lines_of(waiting[: selectors.MOST_OPEN]),
        "n_open": waiting.count(),
        "page": decided,
        "decided_flags": selectors.lines_of(decided),
        "annotator": pseudonym,
        "record": selectors.record_of(study, pseudonym),
    }
    return study_page(request, study, "qualification/checks/flags.html", **context)


@login_required
@require_POST
def flag_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    flag = flag_for(request.user, slug, pk)
    form = DecisionForm(request.POST)
    if form.is_valid():
        with announced(request, _decided_said(flag, form.cleaned_data["decision"])):
            decide_flag(flag, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
    elif "reason" in form.errors:
        messages.error(request, _("Give a reason. It is kept with the decision."))
    else:
        messages.error(request, _("There is no such decision."))
    return redirect("checks", slug)


def _decided_said(flag: Flag, decision: str) -> str:
    name = {"name": flag.participant.pseudonym}
    if decision == Flag.State.EXCLUDED:
        return _("%(name)s is excluded: their ratings no longer count and their seats are free.") % name
    if decision == Flag.State.PAUSED:
        return _("%(name)s is paused: no new batches until you clear them again.") % name
    return _("The flag on %(name)s is dismissed. It comes back only with new evidence.") % name


# --- settings and known answers ------------------------------------------------------------------------
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def checks_settings(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    if request.method != "POST":
        return _settings_page(request, study)
    form = CheckPlanForm(request.POST, instance=selectors.plan_of(study) or CheckPlan(study=study))
    if form.is_valid():
        with errors_in(form):
            save_check_plan(study, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The settings are saved. Work is monitored from now on."))
            return redirect("checks_settings", slug)
    return _settings_page(request, study, status=422, form=form)


def _settings_page(request: HttpRequest, study: Study, *, status: int = 200, **more: Any) -> HttpResponse:
    plan = selectors.plan_of(study)
    context: dict[str, Any] = {
        "page_name": "checks",
        "form": CheckPlanForm(instance=plan),
        "import_form": KnownAnswersForm(),
        "panel_form": PanelForm(),
        "material": selectors.material_of(study),
        "repeats": repeats_of(study, plan) if plan else [],
        **more,
    }
    return study_page(request, study, "qualification/checks/settings.html", status=status, **context)


@login_required
@require_POST
def known_answers_import(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = KnownAnswersForm(request.POST, request.FILES)
    if not form.is_valid():
        return _settings_page(request, study, status=422, import_form=form)
    try:
        with tempfile.TemporaryDirectory(prefix="parley-known-") as directory:
            path = Path(directory) / "known-answers"
            path.write_bytes(form.cleaned_data["file"].read())
            read = {name: form.cleaned_data[name] for name in ("sheet", "is_dry_run")}
            summary = import_known_answers(study, path, by=signed_in(request.user), now=timezone.now(), **read)
    except ImportRejected as rejected:
        errors = [error.for_page() for error in rejected.errors[:SHOWN_ERRORS]]
        rejection = {"errors": errors, "n_errors": rejected.n_errors}
        return _settings_page(request, study, status=422, rejection=rejection)
    return _settings_page(request, study, summary=summary)


@login_required
@require_POST
def known_answers_panel(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = PanelForm(request.POST)
    if form.is_valid():
        with announced(request):
            stored = mark_from_panel(study, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
            text = ngettext("%(n)s panel answer is now gold.", "%(n)s panel answers are now gold.", stored.n_new)
            messages.success(request, text % {"n": stored.n_new})
    else:
        messages.error(request, _("There is no such rule."))
    return redirect("checks_settings", slug)


@login_required
@require_POST
def checks_insert(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    done = insert_checks(study, by=signed_in(request.user), now=timezone.now())
    text = _(
        "Dialogues inserted: %(checks)s. Batches: %(batches)s. Batches already started and left unchanged: %(begun)s."
    )
    messages.success(request, text % {"checks": done.n_checks, "batches": done.n_batches, "begun": done.n_begun})
    if done.n_unfit:
        text = ngettext(
            "%(n)s dialogue with a known answer has fewer responses than the others of a batch and was left "
            "out, because annotators could recognise it.",
            "%(n)s dialogues with known answers have fewer responses than the others of a batch and were "
            "left out, because annotators could recognise them.",
            done.n_unfit,
        )
        messages.warning(request, text % {"n": done.n_unfit})
    return redirect("checks_settings", slug)
