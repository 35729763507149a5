"""The pages of pay: what is offered, what is earned, and the ledger."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, annotator_for, signed_in, study_for
from annotation.models import Participant, Study
from annotation.services import activity
from annotation.views.pages import announced, errors_in, page_of, study_page
from qualification.pay.forms import BonusForm, CorrectionForm, PaidOutForm, PayPlanForm
from qualification.pay.selectors import ledger as pay_ledger
from qualification.pay.selectors.rates import floor_of, measured_rates, offers_of, plan_of
from qualification.pay.services import ledger
from qualification.pay.services.plan import save_pay_plan


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pay(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    if request.method != "POST":
        return _page(request, study)
    form = PayPlanForm(request.POST, instance=plan_of(study))
    if form.is_valid():
        with errors_in(form):
            save_pay_plan(study, values=form.cleaned_data, by=signed_in(request.user), now=timezone.now())
            messages.success(request, _("Saved. Amounts already in the ledger do not change."))
            return redirect("pay", slug)
    return _page(request, study, status=422, form=form)


def _page(request: HttpRequest, study: Study, *, status: int = 200, **forms: BaseForm) -> HttpResponse:
    plan = plan_of(study)
    page = page_of(request, pay_ledger.annotators_of(study))
    context: dict[str, Any] = {
        "page_name": "pay",
        "form": PayPlanForm(instance=plan),
        "floor": floor_of(study, plan),
        "offers": offers_of(study, plan),
        "rates": measured_rates(study, plan),
        "page": page,
        "totals": pay_ledger.sums_of(study),
        "sums": pay_ledger.sums_by_participant(page.object_list),
        "open": pay_ledger.open_lines(study),
        **forms,
    }
    return study_page(request, study, "qualification/pay/pay.html", status=status, **context)


@login_required
@require_POST
def pay_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the whole ledger as a file, and log the download."""
    study = study_for(request.user, slug, Right.CONFIGURE)
    name, now = f"{study.slug}-pay.csv", timezone.now()
    text, n_lines = pay_ledger.ledger_csv(study)
    activity.log(study, signed_in(request.user), "ledger_file", about=name, details={"lines": n_lines}, now=now)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_POST
def pay_paid(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = PaidOutForm(request.POST)
    if form.is_valid():
        with announced(request):
            n = ledger.mark_paid_out(study, **form.cleaned_data, by=signed_in(request.user), now=timezone.now())
            text = ngettext("%(n)s line marked as paid.", "%(n)s lines marked as paid.", n)
            messages.success(request, text % {"n": n})
    return redirect("pay", slug)


# --- one annotator -----------------------------------------------------------------------------------
@login_required
@require_safe
def pay_annotator(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    return _annotator_page(request, annotator_for(request.user, slug, token, Right.CONFIGURE))


def _annotator_page(request: HttpRequest, who: Participant, *, status: int = 200, **forms: BaseForm) -> HttpResponse:
    study, sums = who.study, pay_ledger.sums_by_participant([who])[who.pk]
    context: dict[str, Any] = {
        "page_name": "pay",
        "annotator": who,
        "sums": sums,
        "rates": measured_rates(study, plan_of(study)).by_participant.get(who.pk),
        "page": page_of(request, pay_ledger.lines_of(study).filter(participant=who)),
        "bonus_form": BonusForm(auto_id="bonus_%s"),
        "correction_form": CorrectionForm(currencies=[each.currency for each in sums], auto_id="correction_%s"),
        **forms,
    }
    return study_page(request, study, "qualification/pay/annotator.html", status=status, **context)


@login_required
@require_POST
def pay_bonus(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    who = annotator_for(request.user, slug, token, Right.CONFIGURE)
    form = BonusForm(request.POST, auto_id="bonus_%s")
    if form.is_valid():
        with errors_in(form):
            ledger.give_bonus(who, **form.cleaned_data, by=signed_in(request.user), now=timezone.now())
            messages.success(request, _("The bonus is in the ledger."))
            return redirect("pay_annotator", slug, token)
    return _annotator_page(request, who, status=422, bonus_form=form)


@login_required
@require_POST
def pay_correction(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    who = annotator_for(request.user, slug, token, Right.CONFIGURE)
    currencies = [each.currency for each in pay_ledger.sums_by_participant([who])[who.pk]]
    form = CorrectionForm(request.POST, currencies=currencies, auto_id="correction_%s")
    if form.is_valid():
        with errors_in(form):
            ledger.correct(who, **form.cleaned_data, by=signed_in(request.user), now=timezone.now())
            messages.success(request, _("The correction is in the ledger."))
            return redirect("pay_annotator", slug, token)
    return _annotator_page(request, who, status=422, correction_form=form)
