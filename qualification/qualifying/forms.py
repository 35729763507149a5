"""Forms of the qualification. They validate input; services make the changes."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from qualification.models import Attempt, Qualification

FEWEST_OPTIONS, MOST_OPTIONS = 2, 8
MARK = "*"


class QualificationForm(forms.ModelForm):
    is_on = forms.BooleanField(
        required=False,
        label=_("Annotators must qualify before they may rate"),
        help_text=_("New annotators then get only training and qualification batches until the rule clears them."),
    )

    class Meta:
        model = Qualification
        fields = (
            "method", "scope", "panel_members", "threshold_from", "threshold", "decision", "most_attempts",
            "is_trained", "has_comprehension_check", "most_check_tries", "passed_text", "failed_text",
        )  # fmt: skip
        labels = {
            "method": _("Measure candidates by"),
            "scope": _("Measured"),
            "panel_members": _("Compared with"),
            "threshold_from": _("Threshold"),
            "threshold": _("Fixed threshold"),
            "decision": _("Decided"),
            "most_attempts": _("Maximum qualification batches per candidate"),
            "is_trained": _("Training batches must be finished first"),
            "has_comprehension_check": _("Questions about the guidelines come first"),
            "most_check_tries": _("Tries allowed"),
            "passed_text": _("Message to candidates who pass"),
            "failed_text": _("Message to candidates who do not pass"),
        }
        help_texts = {
            "scope": _("If each criterion is measured separately, all must pass."),
            "threshold_from": _("A kappa must be above it; accuracy against known answers must reach it."),
            "threshold": _("Used if a fixed number is chosen above; 0.21 in the reference study."),
            "most_attempts": _("More than one helps only if you decide by the interval."),
            "is_trained": "",
            "has_comprehension_check": "",
            "passed_text": _("If empty, a friendly standard message is shown."),
            "failed_text": _("If empty, a friendly standard message is shown."),
        }
        widgets = {
            "threshold": forms.NumberInput(attrs={"step": "0.01", "min": "-1", "max": "1"}),
            "most_attempts": forms.NumberInput(attrs={"min": 1, "max": 20}),
            "most_check_tries": forms.NumberInput(attrs={"min": 1, "max": 20}),
            "passed_text": forms.Textarea(attrs={"rows": 2}),
            "failed_text": forms.Textarea(attrs={"rows": 2}),
        }

    def __init__(self, *args: Any, has_qualification: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["is_on"].initial = has_qualification

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in ("most_attempts", "most_check_tries"):
            if name in cleaned and not 1 <= cleaned[name] <= 20:
                self.add_error(name, _("Enter a number from 1 to 20."))
        return cleaned

    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


class QuestionForm(forms.Form):
    text = forms.CharField(max_length=1000, label=_("Question"), widget=forms.Textarea(attrs={"rows": 2}))
    options = forms.CharField(
        max_length=4000,
        label=_("Answers"),
        help_text=_("One per line. Put a star before the correct one: * A fitting response."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    why = forms.CharField(
        max_length=2000,
        required=False,
        label=_("Explanation"),
        help_text=_("Shown after every answer, correct or not. Do not give the correct answer away."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def clean_options(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["options"].splitlines() if line.strip()]
        marked = [at for at, line in enumerate(lines) if line.startswith(MARK)]
        if not FEWEST_OPTIONS <= len(lines) <= MOST_OPTIONS:
            raise forms.ValidationError(_("Enter 2 to 8 answers, one per line."))
        if len(marked) != 1:
            raise forms.ValidationError(_("Put a star before exactly one answer: the correct one."))
        self.right = marked[0]
        texts = [line.removeprefix(MARK).strip() for line in lines]
        if len(set(texts)) < len(texts) or "" in texts:
            raise forms.ValidationError(_("Every answer needs its own text."))
        return texts

    def values(self) -> dict[str, Any]:
        return self.cleaned_data | {"right": self.right}


class OverrideForm(forms.Form):
    to = forms.ChoiceField(
        choices=[
            (Attempt.State.PASSED, _("Clear them: they may rate")),
            (Attempt.State.FAILED, _("They do not qualify")),
            (Attempt.State.UNDECIDED, _("Give them one more batch")),
        ],
        label=_("Your decision"),
    )
    reason = forms.CharField(max_length=500, label=_("Reason"), widget=forms.TextInput(attrs={"autocomplete": "off"}))
