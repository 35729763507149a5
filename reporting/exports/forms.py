"""The form for the format and options of an export."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Batch, Study
from protocols.specs import spec_of
from reporting.exports.formats import FORMATS
from reporting.exports.options import TRAIN, VALIDATION, ExportOptions


class ExportForm(forms.Form):
    format = forms.ChoiceField(
        choices=[(key, each.name) for key, each in FORMATS.items()],
        widget=forms.RadioSelect, label=_("Format"), initial="long-csv",
    )  # fmt: skip
    kind = forms.ChoiceField(
        required=False, label=_("Batches"), choices=[("", _("all")), *Batch.Kind.choices], initial=Batch.Kind.MAIN,
        help_text=_("If you choose all batches, the data set for training uses only main batches."),
    )  # fmt: skip
    cell = forms.ChoiceField(
        label=_("In each cell"), required=False,
        choices=[("value", _("the number, or the key if there is none")), ("option", _("the key of the answer")),
                 ("label", _("the words of the answer"))],
    )  # fmt: skip
    criterion = forms.ChoiceField(required=False, label=_("The label is the answer to"))
    ties = forms.ChoiceField(
        required=False, label=_("Tied items"),
        choices=[("leave_out", _("are left out")), ("lower", _("get the lower of the tied answers"))],
    )  # fmt: skip
    train = forms.IntegerField(min_value=0, max_value=100, initial=TRAIN, required=False, label=_("Training, per cent"))
    validation = forms.IntegerField(
        min_value=0, max_value=100, initial=VALIDATION, required=False, label=_("Validation, per cent"),
        help_text=_("The rest becomes the test part."),
    )  # fmt: skip
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, required=False, label=_("Seed"),
        help_text=_("If empty, the study's seed: %(seed)s"),
    )  # fmt: skip
    with_names = forms.BooleanField(
        required=False, label=_("Include account names"),
        help_text=_("Otherwise only pseudonyms are exported. The log records who exports names."),
    )  # fmt: skip

    def __init__(self, study: Study, *args: Any, is_owner: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        voted = spec_of(study.protocol_version).voted
        first = ("", _("the first suitable question"))
        self.fields["criterion"].choices = [first, *((each.key, each.name) for each in voted)]  # type: ignore[attr-defined]
        self.fields["seed"].help_text = self.fields["seed"].help_text % {"seed": study.seed}
        if not is_owner:
            del self.fields["with_names"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name, usual in (("train", TRAIN), ("validation", VALIDATION)):
            cleaned[name] = usual if cleaned.get(name) is None else cleaned[name]
        if cleaned["train"] + cleaned["validation"] > 100:
            self.add_error("validation", _("Training and validation add up to more than 100 per cent."))
        return cleaned

    def options(self) -> ExportOptions:
        values = self.cleaned_data
        return ExportOptions(
            kind=values["kind"],
            with_names=values.get("with_names", False),
            cell=values["cell"] or "value",
            criterion=values["criterion"],
            seed=values["seed"],
            train=values["train"],
            validation=values["validation"],
            ties=values["ties"] or "leave_out",
        )
