"""Collect the faults of a page that is many screens long: its top lists each with its place and a link."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.db.models import Model
from django.forms import BaseForm
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from protocols.models import Explanation, Option

# The names that the editor uses.
NAMES_OF_PARTS: dict[type[Model], tuple[Any, Any]] = {
    Option: (pgettext_lazy("an answer to choose", "Answer"), _("Answers")),
    Explanation: (pgettext_lazy("to choose", "Reason"), _("Reasons to choose from")),
}
NAMED_BY = ("name", "label", "title", "text")


@dataclass(frozen=True, slots=True)
class Fault:
    place: str
    where: str
    said: str


def faults_of(form: BaseForm, formset: Any) -> list[Fault]:
    """Return the faults of a version's fields and of all its parts; the page already shows its non-field errors."""
    return [*_own(form, []), *_of_parts(formset, [])]


def _of_parts(formset: Any, around: list[str]) -> Iterator[Fault]:
    title = str(_names_of(formset.model)[1]).capitalize()
    for said in formset.non_form_errors():
        yield Fault(f"{formset.prefix}-group", " › ".join([*around, title]), str(said))
    for number, form in enumerate(formset.forms, start=1):
        names = [*around, _name_of(form, number)]
        for said in form.non_field_errors():
            yield Fault(str(form.prefix), " › ".join(names), str(said))
        yield from _own(form, names)
        for nested in getattr(form, "nested_formsets", []):
            yield from _of_parts(nested, names)


def _own(form: BaseForm, names: list[str]) -> Iterator[Fault]:
    for name, sentences in form.errors.items():
        if name != NON_FIELD_ERRORS:
            where = " › ".join([*names, str(form[name].label)])
            yield from (Fault(form[name].id_for_label, where, str(said)) for said in sentences)


def _name_of(form: BaseForm, number: int) -> str:
    """Return the name as typed, or the kind of part and its number if it has no name."""
    typed = next((str(form[name].value()) for name in NAMED_BY if name in form.fields and form[name].value()), "")
    return typed or f"{_names_of(form._meta.model)[0]} {number}".capitalize()  # type: ignore[attr-defined]


def _names_of(model: type[Model]) -> tuple[Any, Any]:
    """Return the singular and the plural name of a kind of part."""
    return NAMES_OF_PARTS.get(model) or (model._meta.verbose_name, model._meta.verbose_name_plural)
