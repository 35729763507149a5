"""Forms of the protocol pages. They check what a browser sends; services and bundles check what it means."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from protocols.documents import MAX_BYTES
from protocols.models import ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import is_shipped

CODE = {"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
UNITS = (
    ("response", "a response"),
    ("candidate_set", "a set of responses to a dialogue"),
    ("model", "a model"),
    ("dialogue", "a dialogue"),
)
FIELD_OF = {"protocol": "slug", "name": "name", "version": "version_name", "language": "language", "unit": "unit"}


def cited(version: ProtocolVersion) -> str:
    return f"{version.protocol.slug}@{version.version}"


class SearchForm(forms.Form):
    q = forms.CharField(required=False, max_length=200, label="Find a protocol")


class CompareForm(forms.Form):
    """Both in the words people cite: slug@version."""

    a = forms.ChoiceField(label="From", error_messages={"invalid_choice": "There is no such version here."})
    b = forms.ChoiceField(label="To", error_messages={"invalid_choice": "There is no such version here."})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = ProtocolVersion.objects.order_by("protocol__slug", "-created_at", "-pk")
        known = [f"{slug}@{version}" for slug, version in names.values_list("protocol__slug", "version")]
        for name in ("a", "b"):
            self.fields[name].choices = [(each, each) for each in known]  # type: ignore[attr-defined]


class PublishForm(forms.Form):
    is_sure = forms.BooleanField(
        label="I have read it: from now on nobody can change it",
        error_messages={"required": "Tick the box to publish."},
    )


class BundleFieldsForm(forms.Form):
    """Shows what a service refuses beside the field it is about."""

    def add_refusal(self, refusal: InvalidBundle) -> None:
        for error in refusal.errors:
            field = FIELD_OF.get(error.path)
            is_shown = field in self.fields
            sentence = f"It {error.message}." if is_shown else f"{error.path}: {error.message}."
            wanted = f" Expected: {error.expected}." if error.expected else ""
            self.add_error(field if is_shown else None, sentence + wanted)


class NewDraftForm(BundleFieldsForm):
    version_name = forms.CharField(
        label="Name of the new version",
        max_length=40,
        help_text="Letters, digits, dots, hyphens and underscores.",
        widget=forms.TextInput(attrs=CODE),
    )


class NewProtocolForm(BundleFieldsForm):
    name = forms.CharField(max_length=200, label="Name", help_text="What people call it. All its versions share it.")
    slug = forms.CharField(
        max_length=80,
        label="Key",
        help_text="What it is cited by, for example politeness: small letters, digits, hyphens and underscores.",
        widget=forms.TextInput(attrs=CODE),
    )


class ScratchForm(NewProtocolForm):
    language = forms.CharField(
        max_length=20,
        label="Language",
        initial="en",
        help_text="Of the texts: an ISO code such as en, it or zh-Hans.",
        widget=forms.TextInput(attrs=CODE),
    )
    unit = forms.ChoiceField(choices=UNITS, label="What is rated")


class OriginField(forms.ModelChoiceField):
    def label_from_instance(self, version: ProtocolVersion) -> str:
        note = ", shipped" if is_shipped(version) else ""
        return f"{version.protocol.name}, version {version.version} ({version.status}{note})"


class CopyForm(NewProtocolForm):
    origin = OriginField(
        queryset=ProtocolVersion.objects.none(),
        label="Copy of",
        empty_label="Choose a version",
        error_messages={"invalid_choice": "There is no such version here."},
    )
    version_name = forms.CharField(
        max_length=40, label="Name of its first version", initial="0.1", widget=forms.TextInput(attrs=CODE)
    )
    field_order = ("origin", "name", "slug", "version_name")

    def __init__(self, *args: Any, origin: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = ProtocolVersion.objects.select_related("protocol").order_by("protocol__name", "-created_at", "-pk")
        self.fields["origin"].queryset = versions  # type: ignore[attr-defined]
        self.fields["origin"].initial = next((each for each in versions if cited(each) == origin), None)


class ImportForm(forms.Form):
    file = forms.FileField(required=False, label="A file", help_text=f"YAML or JSON, at most {MAX_BYTES:,} bytes.")
    text = forms.CharField(
        required=False,
        strip=False,  # the blanks before the first key are YAML
        label="Or its text",
        widget=forms.Textarea(attrs={"rows": 14, "class": "code", **CODE}),
        help_text="A text that starts with { is read as JSON, any other as YAML.",
    )

    def clean_file(self) -> UploadedFile | None:
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > MAX_BYTES:
            raise ValidationError(f"The file is too large: at most {MAX_BYTES:,} bytes.")
        return file

    def clean_text(self) -> str:
        """Browsers send two characters for each line end, which would count."""
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file, text = data.get("file"), data.get("text", "")
        if not self.errors and bool(file) == bool(text.strip()):
            both = "Choose a file or paste a text, not both: the box is not empty."
            raise ValidationError(both if file else "Choose a file, or paste a text.")
        if file:
            data["text"] = self._text_of(file)
            self.data = {**self.data, "text": data["text"]}  # for the box: no browser chooses the file again
        return data

    def _text_of(self, file: UploadedFile) -> str:
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ValidationError({"file": f"The file is not UTF-8 at byte {error.start}."}) from None
