"""Forms of the protocol pages. They check what a browser sends; services and bundles check what it means."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import format_lazy, slugify
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from protocols.documents import MAX_BYTES
from protocols.labels import status_word
from protocols.models import ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import is_shipped

CODE = {"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
UNITS = (
    ("response", _("a response")),
    ("candidate_set", _("a set of responses by one source to a dialogue")),
    ("model", _("a model")),
    ("dialogue", _("a dialogue")),
    ("comparison", _("two responses in comparison")),
)
NO_SUCH_VERSION = {"invalid_choice": _("There is no such version here.")}
FIELD_OF = {"protocol": "slug", "name": "name", "version": "version_name", "language": "language", "unit": "unit"}


def cited(version: ProtocolVersion) -> str:
    return f"{version.protocol.slug}@{version.version}"


def at_its_fault(form: forms.Form) -> forms.Form:
    """Focus the first field that is wrong: on a long page nobody would see its message."""
    wrong = next((field for name, field in form.fields.items() if name in form.errors), None)
    if wrong:
        wrong.widget.attrs["autofocus"] = True
    return form


class SearchForm(forms.Form):
    q = forms.CharField(required=False, max_length=200, label=_("Find a protocol"))


class CompareForm(forms.Form):
    """Choose two versions, each written as slug@version."""

    a = forms.ChoiceField(label=pgettext_lazy("the version before", "From"), error_messages=NO_SUCH_VERSION)
    b = forms.ChoiceField(label=pgettext_lazy("the version after", "To"), error_messages=NO_SUCH_VERSION)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = ProtocolVersion.objects.order_by("protocol__slug", "-created_at", "-pk")
        known = [f"{slug}@{version}" for slug, version in names.values_list("protocol__slug", "version")]
        for name in ("a", "b"):
            self.fields[name].choices = [(each, each) for each in known]  # type: ignore[attr-defined]


class PublishForm(forms.Form):
    is_sure = forms.BooleanField(
        label=_("I have read it, and from now on nobody can change it"),
        error_messages={"required": _("Tick the box to publish.")},
    )


class RetireForm(forms.Form):
    is_sure = forms.BooleanField(
        label=_("I understand that no new study can follow it"),
        error_messages={"required": _("Tick the box to retire it.")},
    )


class BundleFieldsForm(forms.Form):
    """A form that shows a service's refusal beside the field it is about."""

    def add_refusal(self, refusal: InvalidBundle) -> None:
        for error in refusal.errors:
            field = FIELD_OF.get(error.path)
            if field in self.fields:  # the sentence appears beside the field and does not name it
                whole, short = gettext("It %(message)s. Expected: %(expected)s."), gettext("It %(message)s.")
            else:
                whole = gettext("%(path)s: %(message)s. Expected: %(expected)s.")
                field, short = None, gettext("%(path)s: %(message)s.")
            self.add_error(field, (whole if error.expected else short) % asdict(error))


class NewDraftForm(BundleFieldsForm):
    version_name = forms.CharField(
        label=_("Name of the new version"),
        max_length=40,
        help_text=_("Letters, digits, dots, hyphens and underscores."),
        widget=forms.TextInput(attrs=CODE),
    )


class NewProtocolForm(BundleFieldsForm):
    name = forms.CharField(max_length=200, label=_("Name"), help_text=_("The name people use. All versions share it."))
    slug = forms.CharField(
        max_length=80,
        required=False,
        label=_("Key"),
        help_text=_(
            "Used to cite the protocol, for example politeness: lowercase letters, digits, hyphens and underscores. If "
            "empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs=CODE),
    )

    def clean_slug(self) -> str:
        name: str = self.cleaned_data.get("name", "")
        slug: str = self.cleaned_data["slug"] or slugify(name)[:80]
        if name and not slug:
            raise forms.ValidationError(_("No key can be made from this name. Enter one."))
        return slug  # without a name, the missing name has its own error


class ScratchForm(NewProtocolForm):
    language = forms.CharField(
        max_length=20,
        label=_("Language"),
        initial="en",
        help_text=_("The language of the texts: an ISO code such as en, it or zh-Hans."),
        widget=forms.TextInput(attrs=CODE),
    )
    unit = forms.ChoiceField(choices=UNITS, label=_("What is rated"))


class OriginField(forms.ModelChoiceField):
    def label_from_instance(self, version: ProtocolVersion) -> str:
        found = {"name": version.protocol.name, "version": version.version, "status": status_word(version.status)}
        if is_shipped(version):
            return gettext("%(name)s, version %(version)s (%(status)s, shipped)") % found
        return gettext("%(name)s, version %(version)s (%(status)s)") % found


class CopyForm(NewProtocolForm):
    origin = OriginField(
        queryset=ProtocolVersion.objects.none(),
        label=_("Copy of"),
        empty_label=_("Choose a version"),
        error_messages=NO_SUCH_VERSION,
    )
    version_name = forms.CharField(
        max_length=40, label=_("Name of the first version"), initial="0.1", widget=forms.TextInput(attrs=CODE)
    )
    field_order = ("origin", "name", "slug", "version_name")

    def __init__(self, *args: Any, origin: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = ProtocolVersion.objects.select_related("protocol").order_by("protocol__name", "-created_at", "-pk")
        self.fields["origin"].queryset = versions  # type: ignore[attr-defined]
        self.fields["origin"].initial = next((each for each in versions if cited(each) == origin), None)


class ImportForm(forms.Form):
    file = forms.FileField(
        required=False,
        label=_("A file"),
        help_text=format_lazy(_("YAML or JSON, at most {n} bytes."), n=f"{MAX_BYTES:,}"),
    )
    text = forms.CharField(
        required=False,
        strip=False,  # spaces before the first key matter in YAML
        label=_("Or its text"),
        widget=forms.Textarea(attrs={"rows": 14, "class": "code", **CODE}),
        help_text=_("A text that starts with { is read as JSON, any other as YAML."),
    )

    def clean_file(self) -> UploadedFile | None:
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > MAX_BYTES:
            raise ValidationError(gettext("The file is too large: at most %(n)s bytes.") % {"n": f"{MAX_BYTES:,}"})
        return file

    def clean_text(self) -> str:
        """Normalise line ends: browsers send two characters for each, which would count towards the limit."""
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file, text = data.get("file"), data.get("text", "")
        if not self.errors and bool(file) == bool(text.strip()):
            both = gettext("Choose a file or paste a text, not both: the text box is not empty.")
            raise ValidationError(both if file else gettext("Choose a file, or paste a text."))
        if file:
            try:
                data["text"] = str(file.read().decode("utf-8-sig"))
            except UnicodeDecodeError as error:
                message = gettext("The file is not UTF-8 at byte %(place)s.") % {"place": error.start}
                raise ValidationError({"file": message}) from None
            self.data = {**self.data, "text": data["text"]}  # fills the text box: a browser forgets the chosen file
        return data
