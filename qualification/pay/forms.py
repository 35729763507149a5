"""Forms of pay. They validate input; services make the changes."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from qualification.models import PayPlan

MOST_DIGITS: dict[str, Any] = {"max_digits": 8, "decimal_places": 2}
MONEY = forms.NumberInput(attrs={"step": "0.01"})


class PayPlanForm(forms.ModelForm):
    class Meta:
        model = PayPlan
        fields = ("qualification_amount", "qualification_minutes", "floor_per_hour")
        labels = {
            "qualification_amount": _("Pay for a qualification batch"),
            "qualification_minutes": _("Expected minutes"),
            "floor_per_hour": _("Minimum hourly pay"),
        }
        help_texts = {
            "qualification_amount": _("Paid whether or not the candidate passes. If empty, the ledger pays none."),
            "qualification_minutes": _("Used to calculate the hourly rate offered."),
            "floor_per_hour": _("In the study's currency. The platform warns you when pay is below it."),
        }


class BonusForm(forms.Form):
    amount = forms.DecimalField(min_value=Decimal("0.01"), widget=MONEY, label=_("Bonus"), **MOST_DIGITS)
    reason = forms.CharField(max_length=300, label=_("Reason"), help_text=_("The annotator can read it."))


class CorrectionForm(forms.Form):
    amount = forms.DecimalField(
        widget=MONEY, label=_("Correction"), help_text=_("A negative amount is taken back."), **MOST_DIGITS
    )
    currency = forms.ChoiceField(label=_("Currency"))
    reason = forms.CharField(max_length=300, label=_("Reason"), help_text=_("The annotator can read it."))

    def __init__(self, *args: Any, currencies: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["currency"].choices = [(each, each) for each in currencies]  # type: ignore[attr-defined]

    def clean_amount(self) -> Decimal:
        amount = self.cleaned_data["amount"]
        if not amount:
            raise forms.ValidationError(_("A correction must add or take back an amount."))
        return amount


class PaidOutForm(forms.Form):
    """Say which lines the page showed: the last open one, and how many there were."""

    up_to = forms.IntegerField(min_value=0, max_value=2**63 - 1)
    n_lines = forms.IntegerField(min_value=0, max_value=2**31 - 1)
