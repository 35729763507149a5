"""The page of groups of annotators and the batches each group gets."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import Right, signed_in, study_for
from annotation.services import groups as services
from annotation.views.pages import errors_in, page_of, study_page
from qualification.acceptance.forms import DealingForm, GroupForm, IntoGroupForm
from qualification.acceptance.selectors import batches as selectors


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def acceptance_groups(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    form = GroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            services.make_group(study, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The group is created. Add annotators to it below."))
            return redirect("acceptance_groups", slug)
    context: dict[str, Any] = {
        "page_name": "acceptance",
        "form": form,
        "dealing_form": DealingForm(initial={"is_dealt_to_groups": study.is_dealt_to_groups}),
        "into_form": IntoGroupForm(study=study),
        "groups": selectors.groups_of(study),
        "people": selectors.annotators_of(study),
        "page": page_of(request, selectors.main_batches(study)),
    }
    status = 422 if form.errors else 200
    return study_page(request, study, "qualification/acceptance/groups.html", status=status, **context)


@login_required
@require_POST
def acceptance_groups_dealing(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    is_dealt = "is_dealt_to_groups" in request.POST
    services.set_dealing(study, is_dealt_to_groups=is_dealt, by=signed_in(request.user), now=timezone.now())
    said = _("Groups now take batches.") if is_dealt else _("Anyone may now join any batch.")
    messages.success(request, said)
    return redirect("acceptance_groups", slug)


@login_required
@require_POST
def acceptance_group_remove(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    form = IntoGroupForm(request.POST, study=study)
    group = form.cleaned_data["group"] if form.is_valid() else None
    if group is None:
        messages.error(request, _("There is no such group."))
    else:
        services.remove_group(group, by=signed_in(request.user), now=timezone.now())
        messages.success(request, _("The group is removed. Its annotators and batches no longer have a group."))
    return redirect("acceptance_groups", slug)


@login_required
@require_POST
def acceptance_groups_move(request: HttpRequest, slug: str) -> HttpResponse:
    """Move the ticked annotators and batches to the chosen group."""
    study = study_for(request.user, slug, Right.CLEAR)
    form = IntoGroupForm(request.POST, study=study)
    if not form.is_valid():
        messages.error(request, _("There is no such group."))
        return redirect("acceptance_groups", slug)
    done: dict[str, Any] = {"group": form.cleaned_data["group"], "by": signed_in(request.user), "now": timezone.now()}
    n_people = services.move_annotators(study, tokens=_tokens(request), **done)
    keys = [key for key in request.POST.getlist("batch") if "\x00" not in key]
    n_batches = services.give_batches(study, keys=keys, **done)
    people = ngettext("%(n)s annotator moved.", "%(n)s annotators moved.", n_people) % {"n": n_people}
    batches = ngettext("%(n)s batch changed.", "%(n)s batches changed.", n_batches) % {"n": n_batches}
    messages.success(request, f"{people} {batches}")
    return redirect("acceptance_groups", slug)


def _tokens(request: HttpRequest) -> Iterator[UUID]:
    for text in request.POST.getlist("person"):
        try:
            yield UUID(text)
        except ValueError:
            continue
