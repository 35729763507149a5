"""The form that settles the flags of an item."""

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_NOTE = 2000


class SeenForm(forms.Form):
    note = forms.CharField(
        max_length=LONGEST_NOTE, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}), label=_("What you decided")
    )
    upto = forms.IntegerField(min_value=0, max_value=2**63 - 1, widget=forms.HiddenInput)
