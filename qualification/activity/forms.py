from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class ActivityForm(forms.Form):
    """Which lines of the log are shown. All of it can be left out."""

    verb = forms.ChoiceField(required=False, label=_("What was done"))
    person = forms.ChoiceField(required=False, label=_("By whom"))
    since = forms.DateField(required=False, label=_("From day"), widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label=_("To day"), widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(
        self, *args: Any, verbs: Sequence[tuple[str, str]], people: Sequence[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verb"].choices = [("", _("everything")), *verbs]  # type: ignore[attr-defined]
        self.fields["person"].choices = [("", _("everybody")), *people]  # type: ignore[attr-defined]
