"""Helpers that the pages of a study share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.access import rights_in
from annotation.models import Study
from annotation.services.refusals import Refused

ROWS = 50


def study_page(request: HttpRequest, study: Study, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page below the study's heading and tabs."""
    rights = rights_in(request.user, study)
    return render(request, template, {"study": study, "rights": rights, **context}, status=status)


def page_of(request: HttpRequest, rows: QuerySet) -> Page:
    """Return the page asked for, or the nearest there is."""
    return Paginator(rows, ROWS).get_page(request.GET.get("page"))


@contextmanager
def announced(request: HttpRequest, success: str = "") -> Iterator[None]:
    """Say on the next page that the block succeeded, or why it was refused."""
    try:
        yield
    except Refused as refusal:
        messages.error(request, refusal.message)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        if success:
            messages.success(request, success)


@contextmanager
def errors_in(form: BaseForm) -> Iterator[None]:
    """Put a service's refusal beside the form field that it is about."""
    try:
        yield
    except Refused as refusal:
        form.add_error(None, refusal.message)
    except ValidationError as error:
        fields = getattr(error, "error_dict", {None: error.error_list if hasattr(error, "error_list") else [error]})
        for name, errors in fields.items():
            form.add_error(name if name in form.fields else None, errors)
