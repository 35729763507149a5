"""The pages of the pilot: the panel, the results of its answers, and what they suggest for the main work."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.forms import PanelForm
from annotation.models import Batch, Participant, Study
from annotation.selectors.studies import usual_batch_size
from annotation.services.panel import set_panel
from annotation.views.pages import ROWS, announced, errors_in, study_page
from protocols.specs import spec_of
from qualification.pilot.forms import SuggestionForm, TakeOverForm
from qualification.pilot.selectors import page as selectors
from qualification.pilot.selectors.results import PilotFigures, pilot_figures
from qualification.pilot.selectors.votes import PilotVotes, panel_members, pilot_votes
from qualification.pilot.services import take_over
from qualification.qualifying.views.rule import qualification_of


@dataclass(frozen=True, slots=True)
class Read:
    """Hold what the page is made of. `figures` are the results of the pilot `shown`; `votes` are of all pilots."""

    study: Study
    pilots: list[Batch]
    shown: Batch | None
    members: list[Participant]
    votes: PilotVotes
    figures: PilotFigures | None

    @property
    def key(self) -> str:
        return self.shown.key if self.shown else ""

    def suggestions(self, asked: dict[str, Any]) -> selectors.Suggestions | None:
        if self.figures is None or self.shown is None:
            return None
        votes = self.votes.in_batch(self.shown.pk)
        spec = spec_of(self.study.protocol_version)
        n_items, hourly = asked["n_items"], asked["hourly"]
        qualification = qualification_of(self.study)
        return selectors.suggest(
            spec, votes, self.members, self.figures, qualification, n_items=n_items, hourly=Decimal(hourly)
        )


def _read(study: Study, key: str) -> Read:
    members, votes, pilots = panel_members(study), pilot_votes(study), selectors.pilots_of(study)
    # The pilot with this key is shown, otherwise the newest that the panel has answered, otherwise the newest.
    named = next((each for each in pilots if each.key == key), None)
    answered_by_panel = votes.of([each.pk for each in members]).batch
    answered = [each for each in pilots if each.pk in answered_by_panel]
    shown = named or next(iter(reversed(answered or pilots)), None)
    of_shown = votes.in_batch(shown.pk if shown else 0)
    figures = pilot_figures(study, spec_of(study.protocol_version), of_shown, members)
    return Read(study, pilots, shown, members, votes, figures)


@login_required
@require_safe
def pilot(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, study_for(request.user, slug, Right.CLEAR))


def _page(
    request: HttpRequest, study: Study, *, status: int = 200, panel_form: PanelForm | None = None
) -> HttpResponse:
    read = _read(study, request.GET.get("pilot", ""))
    of_pilot = read.pilots[0].n_items if read.pilots else 0
    usual = {"n_items": usual_batch_size(study) or of_pilot or 1, "hourly": selectors.HOURLY}
    form = SuggestionForm({**usual, **request.GET.dict()})
    asked = form.cleaned_data if form.is_valid() else usual
    spec = spec_of(study.protocol_version)
    context = {
        "page_name": "pilot",
        "pilots": read.pilots,
        "shown": read.shown,
        "columns": selectors.side_by_side(spec, read.votes, read.members, read.pilots, qualification_of(study)),
        "members": selectors.members_of(read.members, read.pilots, read.figures),
        "panel_form": panel_form or PanelForm(),
        "figures": read.figures,
        "names": {each.pk: each.pseudonym for each in read.members},
        **_items(request, read, asked),
        "feedback": selectors.feedback_of(read.shown),
        "unsure_texts": selectors.unsure_texts_of(read.shown),
        "form": form,
        "suggested": read.suggestions(asked),
    }
    return study_page(request, study, "qualification/pilot/pilot.html", status=status, **context)


def _items(request: HttpRequest, read: Read, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of the hardest items, and a page of the difficulty of all."""
    if read.figures is None:
        return {}
    page = Paginator(read.figures.items, ROWS).get_page(request.GET.get("page"))
    return {
        "hardest": selectors.texts_of(read.figures.hardest),
        "page": page,
        "query": f"&{urlencode({**{name: str(value) for name, value in asked.items()}, 'pilot': read.key})}"
        "#pilot-difficulty",
        "difficulty": selectors.texts_of(list(page)),
    }


@login_required
@require_safe
def pilot_items(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    figures = _read(study, request.GET.get("pilot", "")).figures
    if figures is None:
        messages.error(request, _("The panel has not rated anything in the pilots yet."))
        return redirect("pilot", slug)
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-pilot-difficulty.csv"'}
    return HttpResponse(selectors.difficulty_csv(figures), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_POST
def pilot_panel(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    form = PanelForm(request.POST)
    if form.is_valid():
        with errors_in(form):
            found = set_panel(study, **form.cleaned_data, by=signed_in(request.user), now=timezone.now())
            names = {"name": found.pseudonym, "place": found.get_panel_display()}
            messages.success(request, _("%(name)s: %(place)s.") % names)
            return redirect("pilot", slug)
    return _page(request, study, status=422, panel_form=form)


@login_required
@require_POST
def pilot_take(request: HttpRequest, slug: str) -> HttpResponse:
    """Apply a suggestion. It is computed again here: the browser sends the items and the hourly pay, not the value."""
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = TakeOverForm(request.POST)
    read = _read(study, request.POST.get("pilot", ""))
    suggested = read.suggestions(form.cleaned_data) if form.is_valid() else None
    if suggested is None:
        messages.error(request, _("The pilot gives no value for this."))
        return redirect("pilot", slug)
    setting, by = form.cleaned_data["setting"], signed_in(request.user)
    with announced(request, _("The setting is applied.")):
        take_over(study, setting, suggested, by=by, now=timezone.now())
    asked = urlencode({"n_items": str(suggested.n_items), "hourly": str(suggested.hourly), "pilot": read.key})
    return redirect(f"{reverse('pilot', args=[slug])}?{asked}#suggestions")
