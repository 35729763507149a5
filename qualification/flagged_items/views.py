"""The pages of flagged items: the list, which refreshes on the overview, and each item with its dialogue."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Right, rights_in, signed_in, study_for
from annotation.models import Study
from annotation.services.refusals import Refused
from annotation.views.pages import page_of, study_page
from qualification.access import flagged_item_for
from qualification.adjudication.selectors.cases import shown_items
from qualification.flagged_items import selectors
from qualification.flagged_items.forms import SeenForm
from qualification.flagged_items.services import settle_flagged_item

NOTHING_NEW = 204  # on this status htmx leaves the page as it is


def list_context(study: Study) -> dict[str, Any]:
    """Return the part of a page that refreshes. Reading the stamp first ensures that no change is missed."""
    stamp = selectors.stamp_of(study)
    waiting = selectors.flagged_items(study, is_open=True)
    return {
        "flag_stamp": stamp,
        "flag_cards": selectors.cards_of(list(waiting[: selectors.NEWEST])),
        "n_flagged": waiting.count(),
    }


@require_safe
@never_cache
def flagged_fragment(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the list if it has changed. There is no redirect to sign in: htmx would put that page into the list."""
    study = study_for(request.user, slug, Right.READ)
    if request.GET.get("v") == selectors.stamp_of(study):
        return HttpResponse(status=NOTHING_NEW)
    return render(request, "qualification/flagged_items/_list.html", {"study": study, **list_context(study)})


@login_required
@require_safe
def flagged_items(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.READ)
    is_open = request.GET.get("state") != "seen"
    page = page_of(request, selectors.flagged_items(study, is_open=is_open))
    context: dict[str, Any] = {
        "page_name": "flagged_items",
        "is_open": is_open,
        "page": page,
        "query": "" if is_open else "&state=seen",
        "cards": selectors.cards_of(list(page)),
    }
    return study_page(request, study, "qualification/flagged_items/items.html", **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def flagged_item(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    item = flagged_item_for(request.user, slug, token, Right.CLEAR if request.method == "POST" else Right.READ)
    study, card = item.batch.study, selectors.cards_of([item])[0]
    form = SeenForm(request.POST or None, initial={"upto": card.upto})
    if request.method == "POST" and form.is_valid():
        try:
            settle_flagged_item(item, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
        except Refused as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, _("The flags are settled. Your decision is kept with them and in the log."))
        return redirect("flagged_items", slug)
    context: dict[str, Any] = {
        "page_name": "flagged_items",
        "card": card,
        "shown": shown_items([item])[item.pk],
        "form": form,
        "may_settle": Right.CLEAR in rights_in(request.user, study),
    }
    status = 422 if form.is_bound else 200
    return study_page(request, study, "qualification/flagged_items/item.html", status=status, **context)
