from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _

from qualification.pay.forms import MONEY, MOST_DIGITS


class SuggestionForm(forms.Form):
    """Ask for what the pilot's suggestions depend on."""

    n_items = forms.IntegerField(min_value=1, max_value=100_000, label=_("Items per batch"))
    hourly = forms.DecimalField(min_value=Decimal("0.01"), widget=MONEY, label=_("Hourly pay"), **MOST_DIGITS)


class TakeOverForm(SuggestionForm):
    setting = forms.ChoiceField(choices=[("minutes", ""), ("pay", ""), ("threshold", "")])
