"""The pages of the case library: collect, correct and archive cases, and make examples and training items."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.models import Study
from annotation.views.pages import announced, errors_in, page_of, study_page
from protocols.access import may_edit_protocols
from qualification.access import case_for, disagreement_for
from qualification.adjudication.forms import PUT_AWAY, CaseForm, CasesFilter, LookUpForm, NewCaseForm
from qualification.adjudication.selectors import cases as selectors
from qualification.adjudication.services import cases as services


@login_required
@require_safe
def cases(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.TEACH)
    form = CasesFilter(request.GET, questions=selectors.criteria_in_book(study))
    chosen = form.cleaned_data if form.is_valid() else {}
    criterion, shelf = chosen.get("criterion", ""), chosen.get("shelf", "")
    page = page_of(request, selectors.cases_of(study, criterion=criterion, is_active=shelf != PUT_AWAY))
    context: dict[str, Any] = {
        "page_name": "adjudication",
        "form": form,
        "page": page,
        "query": f"&criterion={criterion}&shelf={shelf}",
        "is_filtered": bool(criterion or shelf),
        "rows": selectors.case_rows(list(page)),
        "counts": selectors.counts_by_state(study),
        "may_edit": may_edit_protocols(request.user),
    }
    return study_page(request, study, "qualification/adjudication/cases.html", **context)


@login_required
@require_POST
def case_collect(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = disagreement_for(request.user, slug, pk)
    with announced(request, _("Added to the case library.")):
        services.collect_disagreement(found, by=signed_in(request.user), now=timezone.now())
    return redirect("cases", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def case_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a case from any item: its dialogue is looked up by key, and the item chosen among its items."""
    study = study_for(request.user, slug, Right.TEACH)
    key = request.GET.get("dialogue", "").strip()
    items = selectors.items_of_dialogue(study, key) if key else []
    # Only the form of the posted item is bound: the others of the page stay as they are.
    posted = request.POST.dict()
    forms = [
        (item, NewCaseForm(posted if posted.get("item") == str(item.token) else None, study=study, item=item))
        for item in items
    ]
    if any(_is_collected(request, study, form) for _item, form in forms if form.is_bound):
        messages.success(request, _("Added to the case library."))
        return redirect("cases", slug)
    shown = selectors.shown_items(items)
    context: dict[str, Any] = {
        "page_name": "adjudication",
        "look_up": LookUpForm(request.GET or None),
        "key": key,
        "rows": [(shown[item.pk], form) for item, form in forms],
    }
    status = 422 if request.method == "POST" else 200
    return study_page(request, study, "qualification/adjudication/case_new.html", status=status, **context)


def _is_collected(request: HttpRequest, study: Study, form: NewCaseForm) -> bool:
    if form.is_valid():
        answer, by = form.cleaned_data["answer"], signed_in(request.user)
        with errors_in(form):
            services.collect(
                study, item=form.cleaned_data["item"], criterion=answer.criterion, option=answer,
                note=form.cleaned_data["note"], by=by, now=timezone.now(),
            )  # fmt: skip
    return not form.errors


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def case_edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    case = case_for(request.user, slug, pk)
    form = CaseForm(request.POST if request.method == "POST" else None, case=case)
    if form.is_valid():
        with errors_in(form):
            by, now = signed_in(request.user), timezone.now()
            services.change_case(case, **form.cleaned_data, by=by, now=now)
            messages.success(request, _("The case is saved."))
            return redirect("cases", slug)
    context: dict[str, Any] = {"page_name": "adjudication", "row": selectors.case_rows([case])[0], "form": form}
    status = 422 if form.is_bound else 200
    return study_page(request, case.study, "qualification/adjudication/case_edit.html", status=status, **context)


@login_required
@require_POST
def case_shelf(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Archive or restore a case."""
    case, is_active = case_for(request.user, slug, pk), "back" in request.POST
    done = _("The case is restored.") if is_active else _("The case is archived.")
    with announced(request, done):
        services.set_active(case, is_active=is_active, by=signed_in(request.user), now=timezone.now())
    return redirect("cases", slug)


@login_required
@require_POST
def case_example(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    case = case_for(request.user, slug, pk)
    with announced(request):
        draft = services.make_example(case, by=signed_in(request.user), now=timezone.now())
        messages.success(request, _("It is now an example in the draft %(draft)s.") % {"draft": draft})
    return redirect("cases", slug)


@login_required
@require_POST
def case_training(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    case = case_for(request.user, slug, pk)
    with announced(request):
        item = services.make_training_item(case, by=signed_in(request.user), now=timezone.now())
        messages.success(
            request, _("It is now a training item in the open batch %(batch)s.") % {"batch": item.batch.key}
        )
    return redirect("cases", slug)
