"""Pages of a study's people: members, annotators and their feedback, the panel and the invitation."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Right, annotator_for, membership_for, signed_in, study_for
from annotation.forms import (
    AddMemberForm,
    CreateAccountForm,
    InvitationForm,
    PanelForm,
    PersonStatusForm,
    ResearcherForm,
    RoleForm,
)
from annotation.models import Participant, Study
from annotation.models.study import ROLE_WORDS
from annotation.selectors import studies as selectors
from annotation.services import people as services
from annotation.services import studies as study_services
from annotation.services.panel import set_panel
from annotation.services.researchers import name_researcher
from annotation.services.status import LONGEST_REASON, clear_waiting, decide_status
from annotation.views.pages import announced, errors_in, page_of, study_page

SAID = {
    Participant.Status.PENDING: _("%(name)s is waiting to be cleared."),
    Participant.Status.QUALIFYING: _("%(name)s may take the training and qualification."),
    Participant.Status.FAILED: _("%(name)s did not qualify and gets no batches."),
    Participant.Status.CLEARED: _("%(name)s may rate."),
    Participant.Status.PAUSED: _("%(name)s is paused: no new batches until you clear them again."),
    Participant.Status.EXCLUDED: _("%(name)s is excluded: their ratings no longer count and their seats are free."),
}


@login_required
@require_safe
def study_people(request: HttpRequest, slug: str) -> HttpResponse:
    return _people_page(request, study_for(request.user, slug, Right.CLEAR))


def _people_page(request: HttpRequest, study: Study, *, status: int = 200, **forms: BaseForm) -> HttpResponse:
    context: dict[str, Any] = {
        "page": page_of(request, selectors.participant_list(study)),
        "members": selectors.member_list(study),
        "join_url": request.build_absolute_uri(reverse("join", args=[study.join_token])),
        "add_form": AddMemberForm(),
        "account_form": CreateAccountForm(),
        "invitation_form": InvitationForm(instance=study),
        "role_form": RoleForm(),
        "panel_form": PanelForm(),
        "researcher_form": ResearcherForm(),
        "panel": selectors.panel_list(study),
        "longest_reason": LONGEST_REASON,
        "n_comments": selectors.feedback_list(study).count(),
    }
    context.update(forms)
    return study_page(request, study, "annotation/people.html", status=status, **context)


@login_required
@require_safe
def study_feedback(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what annotators wrote to the researchers when they submitted a batch."""
    study = study_for(request.user, slug, Right.CLEAR)
    page = page_of(request, selectors.feedback_list(study))
    return study_page(request, study, "annotation/people_feedback.html", page=page)


@login_required
@require_POST
def study_member_add(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.MEMBERS)
    form = AddMemberForm(request.POST)
    if form.is_valid():
        with errors_in(form):
            user, role = form.cleaned_data["account"], form.cleaned_data["role"]
            member = services.add_member(study, user=user, role=role, by=signed_in(request.user), now=timezone.now())
            messages.success(request, _role_said(member.user.get_username(), member.role))
            return redirect("study_people", slug)
    return _people_page(request, study, add_form=form, status=422)


def _role_said(name: str, role: str) -> str:
    return gettext("%(name)s now has the role of %(role)s.") % {"name": name, "role": ROLE_WORDS[role]}


@login_required
@require_POST
@never_cache
def study_account_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create an account and show its password in this response: for a later page it would have to be stored."""
    study = study_for(request.user, slug, Right.MEMBERS)
    form, by = CreateAccountForm(request.POST), signed_in(request.user)
    if form.is_valid():
        with errors_in(form):
            member, password = services.create_account(study, by=by, now=timezone.now(), **form.cleaned_data)
            login_url = request.build_absolute_uri(reverse("account_login"))
            made: dict[str, Any] = {"member": member, "password": password, "login_url": login_url}
            return study_page(request, study, "annotation/people_account.html", **made)
    return _people_page(request, study, account_form=form, status=422)


@login_required
@require_POST
def study_member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = membership_for(request.user, slug, pk)
    name, form = membership.user.get_username(), RoleForm(request.POST)
    role = form.cleaned_data["role"] if form.is_valid() else None
    if role is None:
        messages.error(request, gettext("There is no such role."))
    elif role:
        with announced(request, _role_said(name, role)):
            services.change_role(membership, role=role, by=signed_in(request.user), now=timezone.now())
    else:
        with announced(request, gettext("%(name)s is no longer a member. You can add them again.") % {"name": name}):
            services.remove_member(membership, by=signed_in(request.user), now=timezone.now())
    return redirect("study_people", slug)


@login_required
@require_POST
def study_researcher(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = membership_for(request.user, slug, pk)
    name, form = membership.user.get_username(), ResearcherForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Tick the box to let them create protocols and studies."))
    else:
        with announced(request, gettext("%(name)s may now create protocols and studies.") % {"name": name}):
            name_researcher(membership, by=signed_in(request.user), now=timezone.now())
    return redirect("study_people", slug)


@login_required
@require_POST
def participant_status(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    participant = annotator_for(request.user, slug, token)
    form = PersonStatusForm(request.POST, participant=participant)
    if form.is_valid():
        said = SAID[form.cleaned_data["status"]] % {"name": participant.pseudonym}
        with announced(request, said):
            decide_status(participant, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
    elif "reason" in form.errors:
        return _people_page(request, participant.study, status_form=form, status=422)
    else:
        messages.error(request, gettext("There is no such status."))
    return redirect("study_people", slug)


@login_required
@require_POST
def study_panel(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    form = PanelForm(request.POST)
    if form.is_valid():
        with errors_in(form):
            found = set_panel(study, **form.cleaned_data, by=signed_in(request.user), now=timezone.now())
            names = {"name": found.pseudonym, "place": found.get_panel_display()}
            messages.success(request, gettext("%(name)s: %(place)s.") % names)
            return redirect("study_people", slug)
    return _people_page(request, study, panel_form=form, status=422)


@login_required
@require_POST
def study_clear_all(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    n = clear_waiting(study, by=signed_in(request.user), now=timezone.now())
    messages.success(request, ngettext("%(n)s annotator may now rate.", "%(n)s annotators may now rate.", n) % {"n": n})
    return redirect("study_people", slug)


@login_required
@require_POST
def study_invitation(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = InvitationForm(request.POST)
    if form.is_valid():
        study_services.update_study(study, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
        if form.cleaned_data["is_joinable"]:
            if form.cleaned_data["is_clearing_on_join"]:
                messages.success(request, gettext("The invitation link is on: anyone who has it may join and rate."))
            else:
                text = gettext(
                    "The invitation link is on: anyone who has it may join, then waits until you clear them."
                )
                messages.success(request, text)
        else:
            messages.success(request, gettext("The invitation link is off."))
    return redirect("study_people", slug)
