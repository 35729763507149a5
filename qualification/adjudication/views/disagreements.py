"""The pages of adjudication: disagreements, split votes, and the adjudication plan."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.views.pages import errors_in, study_page
from protocols.models import Option
from qualification.access import disagreement_for
from qualification.adjudication.forms import AdjudicationPlanForm, QuestionFilter, SettleForm
from qualification.adjudication.selectors import cases as selectors
from qualification.adjudication.selectors.disagreements import n_other_batches, plan_of
from qualification.adjudication.selectors.split_votes import n_split, questions_of, split_cards, split_items
from qualification.adjudication.services.disagreements import save_plan
from qualification.adjudication.services.re_rating import settle
from qualification.models import Disagreement

State = Disagreement.State
STATES = (State.ADJUDICATION, State.RE_RATING, State.SETTLED)
CARDS = 10  # a card holds a whole dialogue


@login_required
@require_safe
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.TEACH)
    asked = request.GET.get("state", "")
    state = asked if asked in STATES else State.ADJUDICATION
    page = Paginator(selectors.listed(study, state), CARDS).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "page_name": "adjudication",
        "plan": plan_of(study),
        "n_other": n_other_batches(study),
        "counts": selectors.counts_by_state(study),
        "state": state,
        "page": page,
        "query": f"&state={state}",
        "cards": [
            (card, SettleForm(disagreement=card.disagreement, options=card.options))
            for card in selectors.cards_of(study, list(page))
        ],
    }
    return study_page(request, study, "qualification/adjudication/disagreements.html", **context)


@login_required
@require_safe
def split_votes(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.TEACH)
    questions = questions_of(study)
    form = QuestionFilter(request.GET, questions=[(each.key, each.name) for each in questions])
    key = form.cleaned_data["criterion"] if form.is_valid() else ""
    chosen = questions_of(study, key)
    page = Paginator(range(n_split(study, chosen)), CARDS).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "page_name": "adjudication",
        "plan": plan_of(study),
        "counts": selectors.counts_by_state(study),
        "form": form,
        "page": page,
        "query": f"&criterion={key}" if key else "",
        "cards": split_cards(study, split_items(study, chosen, limit=CARDS, offset=(page.number - 1) * CARDS)),
    }
    return study_page(request, study, "qualification/adjudication/split_votes.html", **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def disagreement(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = disagreement_for(request.user, slug, pk)
    options = found.criterion.options.values_list("pk", "label")
    form = SettleForm(request.POST if request.method == "POST" else None, disagreement=found, options=options)
    if form.is_valid():
        with errors_in(form):
            option = Option.objects.get(pk=form.cleaned_data["option"])
            by, now = signed_in(request.user), timezone.now()
            settle(found, option=option, note=form.cleaned_data["note"], by=by, now=now)
            messages.success(request, _("Settled: %(answer)s.") % {"answer": option.label})
            return redirect("adjudication", slug)
    study = found.item.batch.study
    context: dict[str, Any] = {"page_name": "adjudication", "card": selectors.cards_of(study, [found])[0], "form": form}
    status = 422 if form.is_bound else 200
    return study_page(request, study, "qualification/adjudication/disagreement.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adjudication_plan(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    posted = request.POST if request.method == "POST" else None
    form = AdjudicationPlanForm(posted, instance=plan_of(study), study=study)
    if form.is_valid():
        values = {"is_on": form.cleaned_data["is_on"], "criteria": list(form.cleaned_data["criteria"])}
        with errors_in(form):
            save_plan(study, **values, by=signed_in(request.user), now=timezone.now())
            messages.success(request, _("Saved. Finished batches are compared within seconds."))
            return redirect("adjudication", slug)
    status = 422 if form.is_bound else 200
    context: dict[str, Any] = {"page_name": "adjudication", "form": form, "n_other": n_other_batches(study)}
    return study_page(request, study, "qualification/adjudication/plan.html", status=status, **context)
