"""The form that starts a model judge."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.judges.prompts import judgeable, n_examples
from annotation.models import Study
from protocols.specs import spec_of


class JudgeForm(forms.Form):
    """Ask for the settings of a run. Prices come from the endpoint's own list: the platform does not know them."""

    name = forms.CharField(max_length=80, label=_("Name"), help_text=_("The name of its labels in the tables."))
    criteria = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, label=_("Criteria"))
    endpoint = forms.ChoiceField(label=_("Endpoint"), help_text=_("Endpoints the administrator allows."))
    model = forms.CharField(max_length=200, label=_("Model"), help_text=_("The model name the endpoint uses."))
    n_shots = forms.IntegerField(
        min_value=0, max_value=20, initial=0, label=_("Examples"),
        help_text=_("How many worked examples of the protocol come before each question. 0 for none."),
    )  # fmt: skip
    temperature = forms.FloatField(min_value=0, max_value=2, initial=0, label=_("Temperature"))
    requests_per_minute = forms.IntegerField(
        min_value=1, max_value=10_000, initial=60, label=_("Maximum requests per minute")
    )
    most_targets = forms.IntegerField(
        required=False, min_value=1, max_value=10_000_000, label=_("Maximum items"),
        help_text=_("If empty, all. With a number, that many are drawn with the study's seed."),
    )  # fmt: skip
    price_prompt = forms.DecimalField(
        required=False, min_value=0, max_digits=12, decimal_places=4, label=_("Price per million prompt tokens")
    )
    price_answer = forms.DecimalField(
        required=False, min_value=0, max_digits=12, decimal_places=4, label=_("Price per million answer tokens")
    )
    currency = forms.CharField(required=False, max_length=3, label=_("Currency"), help_text=_("For example USD."))

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        spec = spec_of(study.protocol_version)
        criteria = judgeable(spec)
        fields = cast(dict[str, forms.ChoiceField], self.fields)
        fields["criteria"].choices = [(each.key, each.name) for each in criteria]
        fields["criteria"].initial = [each.key for each in criteria]
        fields["endpoint"].choices = [(each, each) for each in settings.JUDGE_ENDPOINTS]
        self.n_examples = n_examples(study.protocol_version, criteria)

    def clean_n_shots(self) -> int:
        wanted = self.cleaned_data["n_shots"]
        if wanted > self.n_examples:
            text = _("Choose at most %(n)s: some criteria have no more examples.")
            raise forms.ValidationError(text % {"n": self.n_examples})
        return wanted
