"""The form that starts a model judge."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.judges.prompts import judgeable, n_examples
from annotation.models import Study
from protocols.specs import spec_of


class JudgeForm(forms.Form):
    """Prices are of the endpoint's own list: the platform does not know them."""

    name = forms.CharField(max_length=80, label=_("Name"), help_text=_("What its labels are called in the tables."))
    criteria = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, label=_("Criteria"))
    endpoint = forms.ChoiceField(label=_("Endpoint"), help_text=_("Those the administrator allows."))
    model = forms.CharField(max_length=200, label=_("Model"), help_text=_("As the endpoint calls it."))
    n_shots = forms.IntegerField(
        min_value=0, max_value=20, initial=0, label=_("Examples"),
        help_text=_("Worked examples of the protocol put before every question; 0 for none."),
    )  # fmt: skip
    temperature = forms.FloatField(min_value=0, max_value=2, initial=0, label=_("Temperature"))
    requests_per_minute = forms.IntegerField(
        min_value=1, max_value=10_000, initial=60, label=_("Requests a minute, at most")
    )
    most_targets = forms.IntegerField(
        required=False, min_value=1, max_value=10_000_000, label=_("Items at most"),
        help_text=_("Left empty, all. A number draws so many with the study's seed."),
    )  # fmt: skip
    price_prompt = forms.DecimalField(
        required=False, min_value=0, max_digits=12, decimal_places=4, label=_("Price of a million prompt tokens")
    )
    price_answer = forms.DecimalField(
        required=False, min_value=0, max_digits=12, decimal_places=4, label=_("Price of a million answer tokens")
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
            text = _("The protocol has %(n)s examples of some of the criteria.")
            raise forms.ValidationError(text % {"n": self.n_examples})
        return wanted
