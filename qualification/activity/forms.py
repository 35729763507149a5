from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class ActivityForm(forms.Form):
    """Choose which lines of the log are shown. Every field is optional."""

    verb = forms.ChoiceField(required=False, label=_("Action"))
    person = forms.ChoiceField(required=False, label=_("Done by"))
    since = forms.DateField(required=False, label=_("First day"), widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label=_("Last day"), widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(
        self, *args: Any, verbs: Sequence[tuple[str, str]], people: Sequence[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verb"].choices = [("", _("all actions")), *verbs]  # type: ignore[attr-defined]
        self.fields["person"].choices = [("", _("anyone")), *people]  # type: ignore[attr-defined]
