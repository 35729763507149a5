"""The import form, shared by the page and the API."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.importing import CSV_PREDICTIONS, CSV_RATINGS, JSONL_LABELS
from annotation.importing.answer_cells import importable
from annotation.importing.columns import FIELDS, SEVERAL, aliases_of
from annotation.importing.layouts import CSV_PROMPTS, RESPONSES, TURNS, WIDE
from annotation.importing.layouts import FIELDS as DIALOGUE_FIELDS
from annotation.importing.outcome import BadField
from annotation.importing.panel_columns import PANEL_FIELDS
from annotation.importing.prediction_cells import FIELDS as PREDICTION_FIELDS
from annotation.importing.prediction_cells import names_in
from annotation.importing.remedies import COLUMN_LABELS
from annotation.importing.shapes import JSONL_TURNS
from annotation.importing.transcripts import RATE_ALL, parse_rate, parse_roles
from annotation.importing.transcripts.messages import ASSISTANT
from annotation.models import ImportJob, Study
from protocols.specs import spec_of

# The columns of each kind of file, in our names. Which of those of ratings there are depends on the protocol.
FIELDS_OF = {
    ImportJob.Kind.DIALOGUES: DIALOGUE_FIELDS,
    ImportJob.Kind.RATINGS: FIELDS,
    ImportJob.Kind.PREDICTIONS: PREDICTION_FIELDS,
}
COLUMNS = tuple(dict.fromkeys(name for names in FIELDS_OF.values() for name in names))
SEVERAL_COLUMNS = ("response", *PANEL_FIELDS)


class ColumnsInput(forms.TextInput):
    """The name of a column, or of several: typed with bars between them, or chosen from a list."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        values = data.getlist(name) if hasattr(data, "getlist") else [data.get(name)]
        return SEVERAL.join(filter(None, values))


OF_CHAT_LOGS = ("roles", "rate", "with_dialogue", "show_system")
OF_DIALOGUES = ("reference", "source", "asker", "unescape_newlines", "replace_unused")
ACCEPTED = ".jsonl,.json,.ndjson,.csv,.tsv,.txt,.xlsx,.parquet,.gz,.eval"


class ImportForm(forms.Form):
    """Ask for a file and how to read it. The file's columns are named in fields such as map_annotator=rater."""

    FORMATS = (
        ("", _("Detect automatically")),
        ("jsonl-history", _("JSON Lines with history and candidates")),
        ("jsonl-messages", _("JSON Lines with messages (role, content)")),
        ("jsonl-utterances", _("JSON Lines with utterances")),
        (CSV_PROMPTS, _("CSV with prompt and machine_completion")),
        (JSONL_TURNS, _("JSON Lines with turns under another name")),
        (RESPONSES, _("Table with one row per response")),
        (WIDE, _("Table with one column per source")),
        (TURNS, _("Table with one row per turn")),
        (CSV_RATINGS, _("Table of ratings")),
        (JSONL_LABELS, _("JSON Lines with one label per line, as in the DiQAD export")),
        (CSV_PREDICTIONS, _("Table of predictions")),
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
        help_text=_("CSV, TSV, Excel (XLSX), Parquet, JSON or JSON Lines; may be compressed as .gz."),
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPTED}),
    )  # fmt: skip
    format = forms.ChoiceField(choices=FORMATS, required=False, label=_("Format"))
    sheet = forms.CharField(
        required=False, max_length=100, label=_("Sheet"), help_text=_("Of a workbook with several sheets."),
    )  # fmt: skip
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
    replace_unused = forms.BooleanField(
        required=False, label=_("Replace dialogues that are not used yet"),
        help_text=_("Corrects dialogues by their id. A dialogue that a batch holds is never replaced."),
    )  # fmt: skip
    transcript = forms.BooleanField(
        required=False, label=_("The file is a chat log: rate its responses"),
        help_text=_("Messages with roles, or an export of Langfuse, Phoenix, Inspect or OpenTelemetry."),
    )  # fmt: skip
    roles = forms.CharField(
        required=False, max_length=100, label=_("Roles whose messages are rated"), initial=ASSISTANT,
        help_text=_("assistant, user or both, separated by a comma. System prompts and tools are context."),
    )  # fmt: skip
    rate = forms.CharField(
        required=False, max_length=20, label=_("Responses to rate"), initial=RATE_ALL,
        help_text=_("all, last, every:2 (every second one), from:3 (from the third on), or none: only the whole "
            "dialogue is rated."),
    )  # fmt: skip
    with_dialogue = forms.BooleanField(required=False, label=_("Rate the whole dialogue too, at the end"))
    show_system = forms.BooleanField(
        required=False, label=_("Show the system prompt"),
        help_text=_("It becomes a context panel. Otherwise it is kept, and annotators do not see it."),
    )  # fmt: skip
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
        required=False,
        max_length=100,
        label=_("Criterion of the whole file"),
        help_text=_("What all its rows or labels answer, if no column names it."),
    )
    lower_is_better = forms.CharField(
        required=False, max_length=4000, label=_("Metrics where lower is better"),
        help_text=_("For example nll, ppl."),
    )  # fmt: skip
    note = forms.CharField(
        required=False, max_length=2000, label=_("How the metrics were made"),
        help_text=_("Printed beside the metrics: the program, its version, the model."),
    )  # fmt: skip

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        criteria = importable(spec_of(study.protocol_version))
        self.fields_of = FIELDS_OF | {ImportJob.Kind.RATINGS: tuple(aliases_of(criteria))}
        # A name is taken too, as the API sends it; the page offers what there is.
        chosen = self.initial.get("criterion", "")
        offered = {"": _("named in the file, or the only one"), **{each.key: each.name for each in criteria}}
        known = {name: key for key, name in offered.items()}
        self.initial["criterion"] = known.get(chosen, chosen)
        self.fields["criterion"].widget = forms.Select(choices=list(offered.items()))
        # In a file of ratings, each criterion may have a column of its own.
        self.criteria = {each.key: each.name for each in criteria if each.key not in COLUMNS}
        for name, label in (COLUMN_LABELS | self.criteria).items():
            widget = ColumnsInput() if name in SEVERAL_COLUMNS else forms.TextInput()
            field = forms.CharField(required=False, max_length=2000, label=label, empty_value="", widget=widget)
            self.fields[f"map_{name}"] = field

    @staticmethod
    def values_of(job: ImportJob) -> dict[str, Any]:
        """Return the choices of an earlier import, for the next attempt. Only the file must be chosen again."""
        options = dict(job.options)
        columns = {f"map_{name}": column for name, column in options.pop("columns", {}).items()}
        chosen = {name: ", ".join(value) if isinstance(value, list) else value for name, value in options.items()}
        has_failed = job.status == ImportJob.Status.FAILED  # otherwise the format may be the one that was found
        again = {"format": job.format, "is_dry_run": job.is_dry_run} if has_failed else {}
        return {"kind": job.kind, **chosen, **columns, **again}

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload.size > settings.UPLOAD_MAX_BYTES:
            most = settings.UPLOAD_MAX_BYTES >> 20
            text = _("The file is larger than %(most)s MB. Compress it (.gz) or split it.")
            raise forms.ValidationError(text % {"most": most})
        return upload

    def clean_roles(self) -> list[str]:
        roles = names_in(self.cleaned_data["roles"])
        try:
            parse_roles(roles)
        except BadField as error:
            raise forms.ValidationError(error.reason) from None
        return [] if roles == [ASSISTANT] else roles

    def clean_rate(self) -> str:
        rate: str = self.cleaned_data["rate"]
        try:
            parse_rate(rate or RATE_ALL)
        except BadField as error:
            raise forms.ValidationError(error.reason) from None
        return "" if rate == RATE_ALL else rate

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        of_format = self.KIND_OF_FORMAT.get(cleaned.get("format", ""), "dialogues")
        if cleaned.get("format") and of_format != cleaned.get("kind"):
            self.add_error("format", _("This format does not match the file contents."))
        if cleaned.get("format") and cleaned.get("transcript"):
            self.add_error("format", _("The format of a chat log is recognised: leave it on automatic."))
        return cleaned

    def options(self) -> dict[str, Any]:
        """Return the options that this kind of import understands, without those left empty."""
        values = self.cleaned_data
        if values["kind"] == "dialogues":
            said = {name: values[name] for name in OF_DIALOGUES}
            said["columns"] = self._columns(DIALOGUE_FIELDS)
            if values["transcript"]:
                said |= {name: values[name] for name in ("transcript", *OF_CHAT_LOGS)}
        elif values["kind"] == "predictions":
            said = {name: values[name] for name in ("metric", "criterion", "note")}
            said |= {name: names_in(values[name]) for name in ("metrics", "lower_is_better")}
            said["columns"] = self._columns(PREDICTION_FIELDS)
        else:
            said = {name: values[name] for name in ("create_missing", "reference", "criterion")}
            said["columns"] = self._columns((*self.fields_of[ImportJob.Kind.RATINGS], *self.criteria))
        said["sheet"] = values["sheet"]
        return {name: value for name, value in said.items() if value}

    def _columns(self, fields: Iterable[str]) -> dict[str, str]:
        """Return the file's column of each of our fields, where one is named."""
        named = {name: self.cleaned_data[f"map_{name}"].strip() for name in fields}
        return {name: column for name, column in named.items() if column}

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the service."""
        values = {name: self.cleaned_data[name] for name in ("kind", "format", "is_dry_run")}
        return values | {"upload": self.cleaned_data["file"], "options": self.options()}
