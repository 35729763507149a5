"""The forms of checks: settings, a file of known answers, panel answers, and a decision about a flag."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from qualification.checks.services.known_answers import MAJORITY, UNANIMOUS
from qualification.models import CheckPlan, Flag

MOST_BYTES = 20 * 1024 * 1024


class CheckPlanForm(forms.ModelForm):
    class Meta:
        model = CheckPlan
        fields = (
            "gold_percent", "attention_percent", "gold_required", "most_attention_missed", "looks_at_speed",
            "looks_at_lines", "looks_at_drift", "pauses_automatically", "gives_feedback",
        )  # fmt: skip
        labels = {
            "gold_percent": _("Gold dialogues per 100 dialogues of a batch"),
            "attention_percent": _("Attention checks per 100 dialogues of a batch"),
            "gold_required": _("Required accuracy on gold answers"),
            "most_attention_missed": _("Missed attention checks allowed"),
            "looks_at_speed": _("Flag unusually fast work"),
            "looks_at_lines": _("Flag answers that are always the same"),
            "looks_at_drift": _("Flag drops in agreement"),
            "pauses_automatically": _("Pause flagged annotators immediately"),
            "gives_feedback": _("Show annotators how often they agree with others"),
        }
        help_texts = {
            "gold_percent": _("At most 50. Takes effect when you insert the checks."),
            "attention_percent": _("At most 50. Takes effect when you insert the checks."),
            "gold_required": _("From 0 to 1. An annotator is flagged only if the whole interval is below it."),
            "most_attention_missed": _("One more than this raises a flag."),
            "looks_at_speed": _("Much faster than the others on the same items."),
            "looks_at_lines": _("Long runs of one answer, or a single answer where others vary."),
            "looks_at_drift": _("Agreement with the others that falls and stays low."),
            "pauses_automatically": _("Otherwise a team lead is asked. Only a person can exclude an annotator."),
            "gives_feedback": _(
                "This makes answers depend on those of others. The report states that it was on and since when."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("gold_percent", "attention_percent"):
            self.fields[name].widget.attrs.update({"min": 0, "max": 50})
            self.fields[name].max_value = 50  # type: ignore[attr-defined]
        self.fields["gold_required"].widget.attrs.update({"min": 0, "max": 1, "step": 0.01})


class KnownAnswersForm(forms.Form):
    file = forms.FileField(
        label=_("File"), max_length=255,
        help_text=_("Table with the columns dialogue, candidate or source, criterion, options, kind, explanation: "
            "CSV, Excel (XLSX) or Parquet."),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.xlsx,.parquet,.gz"}),
    )  # fmt: skip
    sheet = forms.CharField(
        required=False, max_length=100, label=_("Sheet"), help_text=_("Of a workbook with several sheets."),
    )  # fmt: skip
    is_dry_run = forms.BooleanField(
        required=False, label=_("Dry run"), help_text=_("Checks every line and stores nothing.")
    )

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload.size > MOST_BYTES:
            raise forms.ValidationError(_("The file is larger than %(most)s MB.") % {"most": MOST_BYTES >> 20})
        return upload


class PanelForm(forms.Form):
    rule = forms.ChoiceField(
        choices=[(UNANIMOUS, _("all gave the same answer")), (MAJORITY, _("more than half gave the same answer"))],
        initial=UNANIMOUS, widget=forms.RadioSelect, label=_("An answer is known if"),
    )  # fmt: skip


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(choices=[each for each in Flag.State.choices if each[0] != Flag.State.OPEN])
    reason = forms.CharField(max_length=2000)
