"""The admin forms of one version. Together they are one document, which is checked and stored as a whole."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from nested_admin.formsets import NestedInlineFormSet

from protocols import services
from protocols.bundles import Bundle, check_bundle
from protocols.editing import FIELDS, editable, revision_of
from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.naming import by_keys
from protocols.notations import NOTATIONS, SENTENCES, Notation, read_lines, write_lines
from protocols.schema import KEY, BundleError, InvalidBundle

PARTS: dict[type[models.Model], str] = {
    ProtocolVersion: "document",
    Criterion: "criterion",
    Option: "option",
    Explanation: "explanation",
    Example: "example",
}
LABELS = {
    "version": gettext_lazy("Version"),
    "notices": gettext_lazy("Notices"),
    "when": gettext_lazy("Asked only when"),
    "conditions": gettext_lazy("It fits when any of these holds"),
    "facts": gettext_lazy("Facts about the speaker"),
    "history": gettext_lazy("Dialogue"),
    "candidates": gettext_lazy("Responses"),
    "position": gettext_lazy("Position"),
}
HELP = {
    "position": gettext_lazy("Parts appear in the order of these numbers. You can also drag a part by its title."),
    "value": gettext_lazy(
        "On a scale such as 1 to 5, the number that the report computes with. Leave it empty for answers "
        "without an order and for “I don’t know”."
    ),
    "key": gettext_lazy("Its name in exported files. If empty, it is made from the name."),
}
NAMED_BY = ("name", "label", "sub_dimension")
NAMES: Bundle = {"protocol": "protocol", "name": "…", "version": "0.1"}  # stand-ins for wrong names
OF_FORMS = {"id", "DELETE", "position", "protocol", "slug", "revision"}
STEP = re.compile(r"(\w+)(?:\[(\d+)\])?\.?")
FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?(.*)", re.DOTALL)


# --- fields ------------------------------------------------------------------------------------------
class LinesField(forms.CharField):
    """A field for a list that is typed as lines."""

    def __init__(self, notation: Notation, **options: Any) -> None:
        super().__init__(strip=False, required=False, widget=forms.Textarea, **options)
        self.notation = notation

    def prepare_value(self, value: Any) -> Any:
        return write_lines(self.notation, value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return read_lines(self.notation, super().to_python(value) or "")


class TextsField(forms.JSONField):
    """A JSON field for translations, shown indented. An empty box means no translations."""

    default_error_messages = {
        "invalid": gettext_lazy('This is not JSON. Begin with a small example: {"it": {"name": "Cortesia"}}')
    }

    def to_python(self, value: Any) -> Any:
        return super().to_python(value) or {}

    def prepare_value(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False, indent=2) if isinstance(value, dict) else value


def check_key(typed: str) -> None:
    """Raise ValidationError unless the text is a key of the bundle format; Django's slugs allow capitals."""
    if not KEY.fullmatch(typed):
        said = _(
            "“%(typed)s” is not a key. Use lowercase letters, digits, - and _, or leave it empty. For example: %(like)s"
        )
        raise ValidationError(said % {"typed": typed, "like": slugify(typed).strip("-_") or "part-1"})


class KeyField(forms.CharField):
    default_validators = [check_key]


def form_field(field: models.Field, made: forms.Field | None) -> forms.Field | None:
    """Return the form field of a model field, with the editor's label and help; a list becomes a LinesField."""
    if isinstance(field, models.JSONField) and field.default is dict:
        made = TextsField(required=False, widget=forms.Textarea)
    elif isinstance(field, models.JSONField):
        made = LinesField(NOTATIONS.get(field.name, SENTENCES))
    elif field.name == "key":
        made = KeyField(required=False, max_length=field.max_length)
    if made is None:
        return None
    known = words_of(field)
    made.label = label_of(field)
    said: Any = HELP.get(field.name) or (known.help if known else field.help_text)
    if isinstance(made, LinesField):
        said = made.notation.help
    made.help_text = said
    if known and known.choices and isinstance(made, forms.ChoiceField):
        made.choices = known.choices
    if isinstance(made.widget, forms.Textarea):
        made.widget.attrs |= {"rows": 2 if field.name == "definition" else 3, "class": "vLargeTextField"}
    if field.name == "position":
        made.required = False
    return made


def words_of(field: models.Field) -> Any:
    """Return the editor's description of a model field, or None if the editor does not show it."""
    return FIELDS[PARTS[field.model]].get(field.name)


def label_of(field: models.Field) -> Any:
    known = words_of(field)
    return LABELS.get(field.name) or (known.label if known else field.verbose_name)


# --- forms -------------------------------------------------------------------------------------------
class PartForm(forms.ModelForm):
    """The form of one part. It checks single fields; everything else is checked with the whole document."""

    misread: frozenset[str] = frozenset()

    def _post_clean(self) -> None:
        """Remember the wrong fields, but build no row: the document is stored as a whole."""
        self.misread = frozenset(self.errors)


class PageForm(PartForm):
    """The form of the version itself. Its parts reach it as `instance.page`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.page = self

    def clean(self) -> dict[str, Any]:
        if "_publish" in self.data and "is_sure" not in self.data:
            self.add_error(None, _("Nothing was saved. To publish, tick the box beside “Save and publish”."))
        return super().clean() or self.cleaned_data


class VersionForm(PageForm):
    revision = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["revision"].initial = revision_of(editable(self.instance))

    def head(self) -> Bundle:
        protocol = self.instance.protocol
        return {"protocol": protocol.slug, "name": protocol.name, "version": self.instance.version}

    def store(self, doc: Bundle) -> ProtocolVersion:
        made_from = self.cleaned_data["revision"]
        return services.replace_draft(self.instance, doc, made_from=made_from, now=timezone.now())


class NewVersionForm(PageForm):
    protocol = forms.ModelChoiceField(
        Protocol.objects.order_by("name"),
        required=False,
        label=gettext_lazy("Protocol"),
        empty_label=gettext_lazy("A new protocol"),
        help_text=gettext_lazy("For a new protocol, fill in the next two fields."),
    )
    name = forms.CharField(max_length=200, required=False, label=gettext_lazy("Name of the new protocol"))
    slug = KeyField(
        max_length=80,
        required=False,
        label=gettext_lazy("Key of the new protocol"),
        help_text=gettext_lazy("Used to cite the protocol. If empty, it is made from the name."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("protocol") and not data.get("name"):
            self.add_error("name", _("Name the new protocol, or choose an existing one."))
        if data.get("protocol") and (data.get("name") or data.get("slug")):
            self.add_error("name", _("Leave this empty for a version of an existing protocol."))
        return data

    def head(self) -> Bundle:
        data, protocol = self.cleaned_data, self.cleaned_data["protocol"]
        if protocol:
            return {"protocol": protocol.slug, "name": protocol.name}
        return {"protocol": data["slug"] or slugify(data["name"])[:80], "name": data["name"]}

    def store(self, doc: Bundle) -> ProtocolVersion:
        add = services.add_version if self.cleaned_data["protocol"] else services.add_protocol
        return add(doc, now=timezone.now())


class ProtocolForm(forms.ModelForm):
    """Refuse a key or a name that no bundle can have: none of the protocol's drafts could be published."""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        typed = {place: data[name] for place, name in (("protocol", "slug"), ("name", "name")) if data.get(name)}
        for error in check_bundle({"bundle": 1} | NAMES | typed | {"criteria": [services.FIRST_CRITERION]}):
            put(error, self, {})
        return data


# --- the parts of a document -------------------------------------------------------------------------
class PartFormSet(NestedInlineFormSet):
    def add_fields(self, form: forms.BaseForm, index: int | None) -> None:
        """Make the primary and foreign keys hidden texts: storing a document creates its rows again."""
        super().add_fields(form, index)
        form.empty_permitted = False
        row: Any = form.instance  # type: ignore[attr-defined]
        setattr(row, self.fk.name, self.instance)
        for name, value in ((self._pk_field.name, row.pk), (self.fk.name, self.instance.pk)):
            form.fields[name] = forms.CharField(required=False, widget=forms.HiddenInput, initial=value)

    def clean(self) -> None:
        """Skip Django's checks for duplicates: positions are renumbered, and check_bundle finds duplicate keys."""

    @property
    def kept(self) -> list[forms.BaseForm]:
        """Return the forms that are not deleted, sorted by position; those without a position come last."""
        kept = [form for form in self.forms if not self._should_delete_form(form)]
        positions = {form: form.cleaned_data.get("position") for form in kept}
        return sorted(kept, key=lambda form: float("inf") if positions[form] is None else positions[form])

    def entries(self) -> list[Bundle]:
        entries = [entry_of(form, self.fk.name) for form in self.kept]
        own = {field.name for field in self.model._meta.fields}
        return list(_with_keys(entries, PARTS[self.model])) if "key" in own else entries

    def refuse(self, message: str) -> None:
        self.non_form_errors().append(message)


class CriteriaFormSet(PartFormSet):
    """The formset that is checked last. If all fields are valid, it stores the document or reports its faults."""

    stored: ProtocolVersion | None = None
    is_looked_through = False

    def is_valid(self) -> bool:
        if not self.is_looked_through:
            self.is_looked_through = True
            page = self.instance.page
            # The whole document is checked even if a field is wrong, so that one page shows all faults.
            are_right = [page.is_valid(), super().is_valid(), *(each.is_valid() for each in self._nested())]
            if all(are_right):
                self._store(page)
            else:
                self._put_all(check_bundle(self._document(page, NAMES if page.errors else page.head())), page)
        return self.stored is not None and super().is_valid()

    def _document(self, page: Any, names: Bundle) -> Bundle:
        own = {name: value for name, value in page.cleaned_data.items() if name not in OF_FORMS}
        return {"bundle": 1, **own, **names, "criteria": by_keys(self.entries())}

    def _put_all(self, errors: Iterable[BundleError], page: Any) -> None:
        for error in errors:
            put(error, page, {"criteria": self})

    def _nested(self) -> Iterator[PartFormSet]:
        for form in self.kept:
            for nested in nested_of(form).values():
                yield nested
                for inner in nested.kept:
                    yield from nested_of(inner).values()

    def _store(self, page: Any) -> None:
        try:
            self.stored = page.store(self._document(page, page.head()))
        except InvalidBundle as refusal:
            self._put_all(refusal.errors, page)
        except (services.ChangedMeanwhile, services.NotDraft) as refusal:
            page.add_error(None, str(refusal))


def nested_of(form: forms.BaseForm) -> dict[str, PartFormSet]:
    """Return the formsets within a form, by the name of their list in a bundle."""
    return {each.get_default_prefix(): each for each in getattr(form, "nested_formsets", [])}


def entry_of(form: forms.BaseForm, parent: str) -> Bundle:
    left_out = OF_FORMS | {parent}
    own = {name: value for name, value in (_untyped(form) | form.cleaned_data).items() if name not in left_out}
    return own | {name: each.entries() for name, each in nested_of(form).items()}


def _untyped(form: forms.BaseForm) -> Bundle:
    """Return a valid stand-in for each wrong field, so that the others can be checked with the whole document."""
    wrong = {name: field for name, field in form.fields.items() if name in form.errors}
    lists: Bundle = {name: [] for name, field in wrong.items() if isinstance(field, LinesField)}
    texts = {name: "" if name == "key" else "…" for name, field in wrong.items() if isinstance(field, forms.CharField)}
    return texts | lists


def _with_keys(entries: list[Bundle], part: str) -> Iterator[Bundle]:
    """Yield the entries; one without a key gets a unique key made from its name."""
    taken = {entry["key"] for entry in entries}
    for number, entry in enumerate(entries, start=1):
        name = next((entry[name] for name in NAMED_BY if entry.get(name)), "")
        own = slugify(name)[:70] or f"{part}-{number}"
        free = (key for key in chain([own], (f"{own}-{n}" for n in count(2))) if key not in taken)
        key = entry["key"] or next(free)
        taken.add(key)
        yield entry | {"key": key}


# --- faults beside their fields ------------------------------------------------------------------------
def put(error: BundleError, form: forms.BaseForm, formsets: Mapping[str, PartFormSet]) -> None:
    """Add a fault to the form and the field that its path leads to."""
    rest = error.path
    while (step := STEP.match(rest)) and step[1] in formsets:
        rest, formset = rest[step.end() :], formsets[step[1]]
        if step[2] is None:
            formset.refuse(sentence_of(error))
            return
        form = formset.kept[int(step[2])]
        formsets = nested_of(form)
    _put_in(form, rest, error)


def _put_in(form: forms.BaseForm, place: str, error: BundleError) -> None:
    found = FIELD.match({"protocol": "slug"}.get(place, place))
    if found and found[1] in getattr(form, "misread", ()):
        return  # a stand-in was checked here; the field shows its own fault
    if found and found[1] in form.fields:
        # The line of a box, counted from 1, and the place in it.
        line = _("Line %(n)s") % {"n": int(found[2]) + 1} if found[2] else ""
        within = ", ".join(filter(None, [line, found[3].removeprefix(".")]))
        form.add_error(found[1], f"{within}: {sentence_of(error)}" if within else sentence_of(error))
    else:
        form.add_error(None, ValidationError(f"{error.path}: {sentence_of(error)}"))


def sentence_of(error: BundleError) -> str:
    found = {"message": error.message[:1].upper() + error.message[1:], "expected": error.expected}
    if error.expected:
        return _("%(message)s. Expected: %(expected)s.") % found
    return _("%(message)s.") % found
