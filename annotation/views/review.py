"""Build the review on the page that submits a batch, the strip's data, and links from an item to the review."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, JsonResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.access import assignment_for
from annotation.models import Assignment
from annotation.selectors.item_states import strip_of
from annotation.selectors.progress import read_progress
from annotation.selectors.review import counts_of, reviewed_items, reviewed_states
from annotation.selectors.work import spec_of_assignment

ITEMS = 25  # per page
MARK_LABELS = {
    "missing": _("with a missing answer"),
    "unsure": _("marked as unsure"),
    "changed": _("changed"),
    "flagged": _("flagged"),
}
NO_FILTER = "1"  # value of the parameter `review` for its first page, unfiltered


class ReviewFilter(forms.Form):
    criterion = forms.ChoiceField(required=False, label=_("Question"))
    mark = forms.ChoiceField(required=False, label=_("Items"), choices=[("", _("all")), *MARK_LABELS.items()])

    def __init__(self, data: QueryDict, *, questions: list[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["criterion"].choices = [("", _("all")), *questions]  # type: ignore[attr-defined]


@login_required
@never_cache
@require_GET
def work_items(request: HttpRequest, token: UUID) -> JsonResponse:
    """Return the annotator's own batch for the strip, small and without ids, and how many steps are done."""
    assignment = assignment_for(request.user, token)
    return JsonResponse(strip_of(assignment) | {"done": read_progress(assignment).n_steps_done})


def _filter_of(assignment: Assignment, data: QueryDict) -> tuple[ReviewFilter, dict[str, str]]:
    """Return the form and its valid values only."""
    spec = spec_of_assignment(assignment)
    form = ReviewFilter(data, questions=[(each.key, each.name) for each in spec.criteria if each.is_asked])
    form.is_valid()
    return form, {name: value for name, value in form.cleaned_data.items() if value}


def review_context(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    form, chosen = _filter_of(assignment, request.GET)
    states = reviewed_states(assignment, **chosen)
    page = Paginator(states, ITEMS).get_page(request.GET.get("page"))
    query = urlencode(chosen | ({"page": page.number} if page.number > 1 else {}))
    everything = states if not chosen else reviewed_states(assignment)
    return {
        "filter": form,
        "page": page,
        "items": reviewed_items(assignment, list(page), criterion=chosen.get("criterion", "")),
        "query": f"&{urlencode(chosen)}" if chosen else "",
        "review": urlencode({"review": query or NO_FILTER}),
        "is_filtered": bool(chosen),
        "mark_counts": [(mark, MARK_LABELS[mark], n) for mark, n in counts_of(everything).items() if n],
        "n_items": len(everything),
    }


def review_links(request: HttpRequest, assignment: Assignment, position: int) -> dict[str, str]:
    """Return the link from an item back to the review, and the query to keep; both are empty without `?review=`.

    Only filter values are taken from the request, never an address.
    """
    asked = request.GET.get("review")
    if asked is None:
        return {"review_url": "", "review_query": ""}
    data = QueryDict(asked[:200])
    chosen = _filter_of(assignment, data)[1]
    if (page := data.get("page", "")).isdecimal() and len(page) < 6:
        chosen["page"] = page
    query = urlencode(chosen)
    url = reverse("submit", args=[assignment.token]) + (f"?{query}" if query else "") + f"#d-{position}"
    return {"review_url": url, "review_query": "?" + urlencode({"review": query or NO_FILTER})}
