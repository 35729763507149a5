"""The import form, shared by the page and the API."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.importing import CSV_PREDICTIONS, CSV_RATINGS, JSONL_LABELS
from annotation.importing.columns import FIELDS
from annotation.importing.prediction_cells import FIELDS as PREDICTION_FIELDS
from annotation.importing.prediction_cells import names_in

COLUMNS = tuple(dict.fromkeys((*FIELDS, *PREDICTION_FIELDS)))  # of ratings and of predictions, in our names
COLUMN_LABELS = {
    "dialogue": _("Dialogue"),
    "item": _("Candidate"),
    "source": _("Source"),
    "annotator": _("Annotator"),
    "criterion": _("Criterion"),
    "value": _("Answer"),
    "choices": _("Several choices"),
    "turns": _("Marked turns"),
    "batch": _("Batch"),
    "explanations": _("Explanations"),
    "free_text": _("Free text"),
    "answered_at": _("Time of the answer"),
    "label": _("Label"),
}
PREDICTION_LABELS = {name: COLUMN_LABELS[name] for name in ("dialogue", "item", "source", "label")} | {
    "value": _("Score"),
}


class ImportForm(forms.Form):
    """Ask for a file and how to read it. The file's columns are named in fields such as map_annotator=rater."""

    FORMATS = (
        ("", _("Detect automatically")),
        ("jsonl-history", _("JSON Lines with history and candidates")),
        ("jsonl-messages", _("JSON Lines with messages (role, content)")),
        ("jsonl-utterances", _("JSON Lines with utterances")),
        ("csv-prompts", _("CSV with prompt and machine_completion")),
        (CSV_RATINGS, _("CSV of ratings")),
        (JSONL_LABELS, _("JSON Lines with one label per line, as in the DiQAD export")),
        (CSV_PREDICTIONS, _("CSV of predictions")),
    )
    KIND_OF_FORMAT = {CSV_RATINGS: "ratings", JSONL_LABELS: "ratings", CSV_PREDICTIONS: "predictions"}

    kind = forms.ChoiceField(
        choices=[
            ("dialogues", _("Dialogues and candidates")),
            ("ratings", _("Existing ratings")),
            ("predictions", _("Predictions: scores of metrics, labels of models")),
        ],
        initial="dialogues", widget=forms.RadioSelect, label=_("File contents"),
    )  # fmt: skip
    file = forms.FileField(
        label=_("File"), max_length=255,
        help_text=_("JSON Lines or CSV, UTF-8; may be compressed as .gz."),
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.json,.ndjson,.csv,.tsv,.gz"}),
    )  # fmt: skip
    format = forms.ChoiceField(choices=FORMATS, required=False, label=_("Format"))
    reference = forms.CharField(
        required=False, max_length=100, label=_("Ground-truth source"),
        help_text=_("If empty, a source named ground_truth, reference, human or gold."),
    )  # fmt: skip
    source = forms.CharField(
        required=False, max_length=100, label=_("Default source of candidates"),
        help_text=_("For example the model that wrote the whole file."),
    )  # fmt: skip
    asker = forms.CharField(
        required=False, max_length=200, label=_("Speaker who asks"),
        help_text=_("If empty, the dialogue’s field asker, otherwise a name such as user or Q, otherwise "
            "the first speaker."),
    )  # fmt: skip
    unescape_newlines = forms.BooleanField(required=False, label=_("Convert a written \\n to a line break"))
    create_missing = forms.BooleanField(
        required=False, label=_("Create what is missing"),
        help_text=_("Dialogues and candidates missing from the study are created with their id only, without texts."),
    )  # fmt: skip
    is_dry_run = forms.BooleanField(
        required=False, label=_("Dry run"), help_text=_("Checks every line and stores nothing.")
    )
    metrics = forms.CharField(
        required=False, max_length=4000, label=_("Columns that hold metrics"),
        help_text=_("Separated by commas. Give labels their criterion: bleu, judge=appropriateness."),
    )  # fmt: skip
    metric = forms.CharField(
        required=False, max_length=100, label=_("Name of the metric"),
        help_text=_("For a file with one metric, in a column named value or label."),
    )  # fmt: skip
    criterion = forms.CharField(
        required=False, max_length=100, label=_("Criterion"), help_text=_("The criterion that the labels answer.")
    )
    lower_is_better = forms.CharField(
        required=False, max_length=4000, label=_("Metrics where lower is better"),
        help_text=_("For example nll, ppl."),
    )  # fmt: skip
    note = forms.CharField(
        required=False, max_length=2000, label=_("How the metrics were made"),
        help_text=_("Printed beside the metrics: the program, its version, the model."),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in COLUMNS:
            label = COLUMN_LABELS.get(name, name)
            self.fields[f"map_{name}"] = forms.CharField(required=False, max_length=200, label=label, empty_value="")

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload.size > settings.UPLOAD_MAX_BYTES:
            most = settings.UPLOAD_MAX_BYTES >> 20
            text = _("The file is larger than %(most)s MB. Compress it (.gz) or split it.")
            raise forms.ValidationError(text % {"most": most})
        return upload

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        of_format = self.KIND_OF_FORMAT.get(cleaned.get("format", ""), "dialogues")
        if cleaned.get("format") and of_format != cleaned.get("kind"):
            self.add_error("format", _("This format does not match the file contents."))
        return cleaned

    def options(self) -> dict[str, Any]:
        """Return the options that this kind of import understands, without those left empty."""
        values = self.cleaned_data
        if values["kind"] == "dialogues":
            said = {name: values[name] for name in ("reference", "source", "asker", "unescape_newlines")}
        elif values["kind"] == "predictions":
            said = {name: values[name] for name in ("metric", "criterion", "note")}
            said |= {name: names_in(values[name]) for name in ("metrics", "lower_is_better")}
            said["columns"] = {name: values[f"map_{name}"] for name in PREDICTION_FIELDS if values[f"map_{name}"]}
        else:
            said = {name: values[name] for name in ("create_missing", "reference", "criterion")}
            said["columns"] = {name: values[f"map_{name}"] for name in FIELDS if values[f"map_{name}"]}
        return {name: value for name, value in said.items() if value}

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the service."""
        values = {name: self.cleaned_data[name] for name in ("kind", "format", "is_dry_run")}
        return values | {"upload": self.cleaned_data["file"], "options": self.options()}
