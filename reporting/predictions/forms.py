from django import forms
from django.utils.translation import gettext_lazy as _

from measures.machines.alternative import EPSILON


class EpsilonForm(forms.Form):
    """How much worse than an annotator a metric may be and still replace people."""

    epsilon = forms.FloatField(
        label=_("Epsilon"),
        min_value=0,
        max_value=1,
        initial=EPSILON,
        help_text=_(
            "How much worse it may be than the annotator it replaces. Usual values are 0.2 beside experts, "
            "0.15 beside trained annotators and 0.1 beside crowd workers."
        ),
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )

    @property
    def chosen(self) -> float:
        """Return the valid number, or the usual one."""
        found = self.cleaned_data.get("epsilon") if self.is_valid() else None
        return EPSILON if found is None else float(found)
