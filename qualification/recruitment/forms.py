"""Forms of recruitment. They validate input; services make the changes."""

from typing import Any

from django import forms
from django.contrib.postgres.forms import SimpleArrayField
from django.utils.translation import gettext_lazy as _

from qualification.models import Recruitment
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.services.settings import SETTINGS

LONGEST = 200


class NamesField(SimpleArrayField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(forms.CharField(max_length=100), **{"required": False, "max_length": 50} | kwargs)


class CodeField(forms.CharField):
    """Take a code as the platform shows it, perhaps pasted with blanks around it."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"})
        super().__init__(required=False, max_length=64, widget=widget, **kwargs)

    def clean(self, value: Any) -> str:
        code = super().clean(value)
        if code and not code.replace("-", "").replace("_", "").isalnum():
            raise forms.ValidationError(_("A code consists of letters, digits, - and _. Copy it from the platform."))
        return code


class RecruitmentForm(forms.ModelForm):
    provider = forms.ChoiceField(required=False, label=_("Platform"))
    locations = NamesField(label=_("Countries or regions"), help_text=_("Separated by commas."))
    first_languages = NamesField(label=_("First languages"), help_text=_("Separated by commas."))
    n_wanted = forms.IntegerField(required=False, min_value=1, max_value=100_000, label=_("People wanted"))
    least_approval = forms.IntegerField(
        required=False, min_value=0, max_value=100, label=_("Minimum approval rate"),
        help_text=_("Percentage of their earlier submissions that were approved."),
    )  # fmt: skip
    least_submissions = forms.IntegerField(
        required=False, min_value=0, max_value=1_000_000, label=_("Minimum completed submissions")
    )
    code_done = CodeField(label=_("Finished"))
    code_screened_out = CodeField(label=_("Screened out"), help_text=_("For people who did not qualify."))
    code_failed_attention = CodeField(
        label=_("Failed attention checks"), help_text=_("For people excluded because of a check.")
    )
    code_timed_out = CodeField(
        label=_("Timed out"),
        help_text=_("For people whose time ran out before they finished a batch. If empty, they may continue."),
    )
    platform_url = forms.URLField(
        required=False, assume_scheme="https", label=_("Platform address"),
        help_text=_("Where people are sent at the end. If empty, the platform's own address."),
    )  # fmt: skip

    class Meta:
        model = Recruitment
        fields = SETTINGS
        labels = {
            "gender": _("Gender"),
            "education": _("Education"),
            "expertise": _("Expertise"),
            "other": _("Other criteria"),
            "is_open": _("Admit new people from the platform"),
            "asks_demographics": _("Ask annotators about themselves"),
        }
        help_texts = {
            "is_open": _("If off, people who have already joined can still continue."),
            "asks_demographics": _("Age, gender, first language, country and education; every question is optional."),
        }
        widgets = {"other": forms.Textarea(attrs={"rows": 2})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = self.instance.provider  # stays in the list after it has closed, because its files are still needed
        named = [(each.key, each.name) for each in PROVIDERS.values() if not each.is_closed or each.key == own]
        self.fields["provider"].choices = [("", _("none: by invitation or account only")), *named]  # type: ignore[attr-defined]

    def clean_platform_url(self) -> str:
        address = self.cleaned_data["platform_url"]
        if address and not address.startswith(("https://", "http://")):
            raise forms.ValidationError(_("The address must begin with https:// or http://."))
        return address


class DemographicsFileForm(forms.Form):
    file = forms.FileField(label=_("Demographics file"), widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}))
    is_dry_run = forms.BooleanField(required=False)


class AboutYouForm(forms.Form):
    """Ask annotators about themselves; every field is optional. Names are the platforms', to count both together."""

    FIELDS = {
        "age": "Age",
        "gender": "Gender",
        "language": "First language",
        "country": "Country of residence",
        "education": "Education",
    }
    age = forms.IntegerField(required=False, min_value=10, max_value=120, label=_("Age"))
    gender = forms.CharField(required=False, max_length=LONGEST, label=_("Gender"))
    language = forms.CharField(required=False, max_length=LONGEST, label=_("First language"))
    country = forms.CharField(required=False, max_length=LONGEST, label=_("Country you live in"))
    education = forms.CharField(required=False, max_length=LONGEST, label=_("Education"))

    def said(self) -> dict[str, str]:
        values = {self.FIELDS[name]: value for name, value in self.cleaned_data.items()}
        return {name: str(value) for name, value in values.items() if value not in (None, "")}
