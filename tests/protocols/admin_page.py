"""What a browser sends from the page of a version in the admin."""

from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse

from protocols.notations import NOTATIONS, SENTENCES, write_lines

WITHIN = {"criteria": ("options", "examples"), "options": ("explanations",)}


def typed(answer: HttpResponse) -> dict[str, Any]:
    """Every field of the page as it stands there."""
    data = _fields(answer.context["adminform"].form)
    for inline in answer.context["inline_admin_formsets"]:
        data |= _formset(inline.formset)
    return data


def _formset(formset: Any) -> dict[str, Any]:
    data = _fields(formset.management_form)
    for form in formset.forms:
        data |= _fields(form)
        for nested in getattr(form, "nested_formsets", []):
            data |= _formset(nested)
    return data


def _fields(form: BaseForm) -> dict[str, Any]:
    values = {form.add_prefix(name): form[name].value() for name in form.fields}
    return {
        name: "on" if value is True else value
        for name, value in values.items()
        if value is not None and value is not False
    }


def parts(prefix: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """New parts, filled in, with the parts within them."""
    data: dict[str, Any] = {f"{prefix}-TOTAL_FORMS": len(entries), f"{prefix}-INITIAL_FORMS": 0}
    for number, entry in enumerate(entries):
        for name, value in ({"position": number} | entry).items():
            data |= _part(f"{prefix}-{number}-{name}", name, value)
        for name in WITHIN.get(prefix.rsplit("-", maxsplit=1)[-1], ()):
            if name not in entry:
                data |= parts(f"{prefix}-{number}-{name}", [])
    return data


def _part(place: str, name: str, value: Any) -> dict[str, Any]:
    if name in ("options", "examples", "explanations"):
        return parts(place, value)
    if isinstance(value, list):
        return {place: write_lines(NOTATIONS.get(name, SENTENCES), value)}
    return {place: value}


def faults(answer: HttpResponse) -> dict[str, list[str]]:
    """The sentences of a refused page, by the name of the field they stand beside."""
    found = _faults(answer.context["adminform"].form)
    for inline in answer.context["inline_admin_formsets"]:
        found |= _faults_within(inline.formset)
    return found


def _faults_within(formset: Any) -> dict[str, list[str]]:
    found = {formset.prefix: list(formset.non_form_errors())} if formset.non_form_errors() else {}
    for form in formset.forms:
        found |= _faults(form)
        for nested in getattr(form, "nested_formsets", []):
            found |= _faults_within(nested)
    return found


def _faults(form: BaseForm) -> dict[str, list[str]]:
    return {form.add_prefix(name): list(sentences) for name, sentences in form.errors.items()}
