"""The page of a study's dialogues and their uses."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.access import Right, study_for
from annotation.forms import DialogueFilter
from annotation.selectors.dialogues import dialogue_list, uses_of
from annotation.views.pages import page_of, study_page


@login_required
@require_safe
def study_dialogues(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.IMPORT)
    form = DialogueFilter(request.GET)
    asked = form.cleaned_data if form.is_valid() else {}
    page = page_of(request, dialogue_list(study, **asked))
    uses = uses_of(page)
    rows = [(dialogue, uses[dialogue.pk]) for dialogue in page]
    query = f"&{urlencode(asked)}" if any(asked.values()) else ""
    return study_page(request, study, "annotation/dialogues.html", form=form, page=page, rows=rows, query=query)
