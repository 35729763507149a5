"""The full guidelines of a study, as a page and as a PDF."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.views.decorators.http import require_GET

from annotation.access import participant_for
from annotation.models import Study
from annotation.selectors.first_steps import GUIDELINES, first_steps
from annotation.selectors.guidelines import headings_of, paragraphs_of, sections_of
from annotation.selectors.work import is_reading_due, work_of
from annotation.services.claiming import PERSON_STATUSES
from parley.pdf import PdfUnavailable, make_pdf
from protocols.rendering import rendered
from protocols.translating import texts_in


@login_required
@require_GET
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    participant = participant_for(request.user, slug)
    context = _document(participant.study, has_welcome=False)
    if is_reading_due(participant):  # the work begins after reading
        works = work_of(participant.user_id, PERSON_STATUSES, timezone.now())
        context["work"] = next(each for each in works if each.participant == participant)
        context["steps"] = first_steps(participant.study, GUIDELINES)
    return render(request, "annotation/work_guidelines.html", context)


@login_required
@require_GET
def guidelines_pdf(request: HttpRequest, slug: str) -> HttpResponse:
    study = participant_for(request.user, slug).study
    document = _document(study, has_welcome=True)
    with translation.override(document["language"]):
        page = render_to_string("annotation/guidelines_print.html", document)
    try:
        body = make_pdf(page, "print.css", "guidelines.css")
    except PdfUnavailable as missing:
        messages.error(request, str(missing))
        return redirect("guidelines", slug)
    disposition = f'attachment; filename="{study.slug}-guidelines.pdf"'
    return HttpResponse(body, content_type="application/pdf", headers={"Content-Disposition": disposition})


def _document(study: Study, *, has_welcome: bool) -> dict[str, Any]:
    """Return the guidelines with Parley's own sentences in their language; the page around them is in the reader's.

    On the site, the welcome is left out: it has its own page, which is read just before.
    """
    version = study.protocol_version
    words = texts_in(version, study.content_language)
    text, language = rendered(words.guidelines), _spoken(words.language)
    with translation.override(language):
        document = {
            "study": study,
            "version": version,
            "words": words,
            "language": language,
            "welcome": paragraphs_of(words.welcome) if has_welcome else [],
            "text": text,
            "headings": headings_of(text),
            "sections": sections_of(version, study.content_language),
        }
        return document | {"body": render_to_string("annotation/_guidelines_text.html", document)}


def _spoken(language: str) -> str:
    """Return the language of a text if Parley supports it, otherwise that of the page."""
    try:
        return translation.get_supported_language_variant(language)
    except LookupError:
        return translation.get_language() or settings.LANGUAGE_CODE
