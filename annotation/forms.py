"""Forms of the study pages. They check input and explain errors; services change the data."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotation.models import Batch, Membership, Participant, Study
from annotation.selectors.dialogues import USES
from annotation.selectors.studies import find_account, publishable_versions
from annotation.services.status import LONGEST_REASON, missing_reason
from protocols.models import ProtocolVersion
from protocols.translating import language_name, languages_of

RESERVED_SLUGS = frozenset({"new"})  # these are pages below /studies/


class VersionField(forms.ModelChoiceField):
    def label_from_instance(self, version: ProtocolVersion) -> str:
        names = {"protocol": version.protocol.name, "number": version.version, "language": version.language}
        return _("%(protocol)s, version %(number)s (%(language)s)") % names


def between(
    least: int, most: int, kind: type[forms.IntegerField] | type[forms.FloatField]
) -> Callable[..., forms.Field]:
    """Return a field class whose bounds win over those that a model's field gives."""
    return lambda **kwargs: kind(**kwargs | {"min_value": least, "max_value": most})


class StudyForm(forms.ModelForm):
    """Edit all settings of a study. `use_required_attribute` stays on: browsers then name the missing field."""

    protocol_version = VersionField(
        queryset=ProtocolVersion.objects.none(),
        empty_label=_("Choose a protocol"),
        label=_("Protocol"),
        help_text=_(
            "The questions annotators answer. Only published versions can be chosen, because they never change."
        ),
    )

    class Meta:
        model = Study
        fields = (
            "name", "slug", "description", "protocol_version", "text_format", "seats", "majority_rule", "word_scale",
            "kappa_floor", "equivalence_margin", "platform", "pay_amount", "pay_currency", "consent_text",
            "consent_version", "expected_minutes", "max_minutes",
        )  # fmt: skip
        labels = {
            "name": _("Name"),
            "description": _("Description"),
            "slug": _("Short name"),
            "text_format": _("Dialogues and responses are shown"),
            "seats": _("Annotators per batch"),
            "majority_rule": _("A response counts as positive when"),
            "word_scale": _("Verbal scale for agreement coefficients"),
            "kappa_floor": _("Minimum kappa with the others"),
            "equivalence_margin": _("Margin of equivalence, per cent of the scale"),
            "platform": _("Recruited from"),
            "pay_amount": _("Pay per batch"),
            "pay_currency": _("Currency"),
            "consent_text": _("Consent"),
            "consent_version": _("Consent version"),
            "expected_minutes": _("Expected minutes per batch"),
            "max_minutes": _("Maximum minutes per batch"),
        }
        help_texts = {
            "name": _("Shown to annotators."),
            "slug": _("Part of the study's address: letters, digits and hyphens. If empty, it is made from the name."),
            "description": _("Shown to the people you invite."),
            "text_format": _("The same for all of them. It cannot change after the first answer of the main work."),
            "seats": _("How many people rate each item. An item never gets more votes than this."),
            "majority_rule": _("Printed in the report beside the results."),
            "word_scale": _("Used on the live board and in every file of the report. The report names the scale."),
            "kappa_floor": _(
                "From -1 to 1. The live board marks annotators whose kappa with the majority of the others, "
                "including its whole interval, lies below this value. If empty, nobody is marked for this."
            ),
            "equivalence_margin": _(
                "The report calls two sources equivalent if their difference is shown to be smaller than this. 10 "
                "means .10 of a share, or 0.4 points on a scale from 1 to 5. If empty, equivalence is not tested. It "
                "cannot change after the first answer of the main work."
            ),
            "platform": _("For example Prolific, or your own students. Printed in the report."),
            "pay_amount": _("Shown to annotators before they start."),
            "pay_currency": _("Three letters, for example GBP."),
            "consent_text": _("Annotators agree to this text before they start. If empty, no consent is asked for."),
            "consent_version": _("Change it when you change the text. Everyone is then asked again."),
            "expected_minutes": _(
                "Shown to annotators, for a batch of any size. If empty, the protocol's minutes apply."
            ),
            "max_minutes": _("After this the seat is released. If empty, the protocol's minutes apply."),
        }
        widgets = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "consent_text": forms.Textarea(attrs={"rows": 4}),
            "pay_currency": forms.TextInput(attrs={"autocomplete": "off", "size": 3}),
        }
        field_classes = {
            "seats": between(1, 1000, forms.IntegerField),
            "kappa_floor": between(-1, 1, forms.FloatField),
            "equivalence_margin": between(1, 99, forms.FloatField),
            "expected_minutes": between(1, 32_767, forms.IntegerField),
            "max_minutes": between(1, 32_767, forms.IntegerField),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False
        versions = publishable_versions()
        if mine := self.instance.protocol_version_id:  # a study keeps its version even when that is a draft or retired
            own = ProtocolVersion.objects.select_related("protocol").filter(pk=mine)
            versions = versions.filter(pk=mine) if self.instance.batches.exists() else versions | own
        cast(VersionField, self.fields["protocol_version"]).queryset = versions
        if self.instance.pk:
            del self.fields["slug"]
            version = self.instance.protocol_version
            if version.translations:
                languages = languages_of(version)  # the first is the version's own
                self.fields["content_language"] = forms.ChoiceField(
                    choices=[(code if at else "", language_name(code)) for at, code in enumerate(languages)],
                    initial=self.instance.content_language,
                    required=False,
                    label=_("Language of the protocol's texts"),
                    help_text=_("The language annotators read. It cannot change after the first answer."),
                )

    def clean_slug(self) -> str:
        name = self.cleaned_data.get("name", "")
        slug = self.cleaned_data["slug"] or slugify(name)[:80]
        if not slug and not name:
            return ""  # the missing name has its own error
        if not slug:
            raise forms.ValidationError(_("No address can be made from this name. Enter a short name."))
        if slug in RESERVED_SLUGS or Study.objects.filter(slug=slug).exists():
            raise forms.ValidationError(_("“%(slug)s” is taken. Choose another short name.") % {"slug": slug})
        return slug

    def clean_pay_currency(self) -> str:
        return self.cleaned_data["pay_currency"].upper()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("pay_amount") is not None and not cleaned.get("pay_currency"):
            self.add_error("pay_currency", _("Enter the currency of the pay, for example GBP."))
        return cleaned


class StatusForm(forms.Form):
    status = forms.ChoiceField(choices=[(each, each) for each in (Study.Status.OPEN, Study.Status.CLOSED)])


class BatchStatusForm(StatusForm):
    """Open or close the ticked batches, or all drafts."""

    key = forms.MultipleChoiceField(required=False)
    drafts = forms.BooleanField(required=False)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        asked = [key for key in cast(QueryDict, self.data).getlist("key") if "\x00" not in key]
        known = study.batches.filter(key__in=asked).values_list("key", flat=True)
        cast(forms.MultipleChoiceField, self.fields["key"]).choices = [(key, key) for key in known]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("key") and not cleaned.get("drafts"):
            raise forms.ValidationError(_("Tick the batches to open or to close."))
        return cleaned

    @property
    def keys(self) -> list[str]:
        if not self.cleaned_data["drafts"]:
            return self.cleaned_data["key"]
        return list(self.study.batches.filter(status=Batch.Status.DRAFT).values_list("key", flat=True))


class KeysField(forms.MultipleChoiceField):
    """The keys of ticked rows, whatever they are: the service says which of them is unknown."""

    def valid_value(self, value: str) -> bool:
        return "\x00" not in value


class DiscardForm(forms.Form):
    key = KeysField(error_messages={"required": _("Tick the drafts to discard.")})
    is_sure = forms.BooleanField(
        label=_("The draft is deleted, and its dialogues are free for other batches"),
        error_messages={"required": _("Confirm that you want to discard the drafts.")},
    )


class RemoveDialoguesForm(forms.Form):
    key = KeysField(error_messages={"required": _("Tick the dialogues to remove.")})
    is_sure = forms.BooleanField(error_messages={"required": _("Confirm that you want to remove the dialogues.")})


class DialogueFilter(forms.Form):
    use = forms.ChoiceField(required=False, label=_("Used for"), choices=[("", _("any use")), *USES.items()])
    text = forms.CharField(required=False, max_length=200, label=_("Part of the key"))


class AddMemberForm(forms.Form):
    account = forms.CharField(
        max_length=254, label=_("Username or e-mail"), help_text=_("The person must already have an account here."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )  # fmt: skip
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.ANNOTATOR, label=_("Role"))

    def clean_account(self) -> User:
        user = find_account(self.cleaned_data["account"])
        if user is None:
            raise forms.ValidationError(_("There is no such account. Create one instead."))
        return user


class CreateAccountForm(forms.ModelForm):
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.ANNOTATOR, label=_("Role"))

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"email": _("E-mail")}
        help_texts = {"username": _("The name they sign in with."), "email": _("Only needed to reset a lost password.")}
        widgets = {"username": forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"})}

    def clean_email(self) -> str:
        email = self.cleaned_data["email"]
        if email and User.objects.filter(email__iexact=email).exists():
            raise forms.ValidationError(_("An account with this e-mail already exists. Add it to the study instead."))
        return email


class RoleForm(forms.Form):
    """An empty role removes the member."""

    role = forms.ChoiceField(choices=[("", _("Remove from the study")), *Membership.Role.choices], required=False)


class ResearcherForm(forms.Form):
    is_sure = forms.BooleanField(
        label=_("They may read every protocol on this site, change its drafts and create their own studies")
    )


class PersonStatusForm(forms.Form):
    """Decide about one annotator. Some decisions need a reason."""

    status = forms.ChoiceField(choices=Participant.Status)
    reason = forms.CharField(required=False, max_length=LONGEST_REASON, label=_("Reason"))

    def __init__(self, *args: Any, participant: Participant, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.participant = participant

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "status" in cleaned and "reason" in cleaned:
            missing = missing_reason(self.participant, cleaned["status"], cleaned["reason"])
            if missing:
                self.add_error("reason", missing)
        return cleaned


class PanelForm(forms.Form):
    name = forms.CharField(
        max_length=254, label=_("Account or pseudonym"), help_text=_("A member of the study, in any role."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )  # fmt: skip
    panel = forms.ChoiceField(
        choices=[*reversed(Participant.Panel.choices)], required=False, label=_("Panel role"), initial="non_expert"
    )


class InvitationForm(forms.ModelForm):
    class Meta:
        model = Study
        fields = ("is_joinable", "is_clearing_on_join")
        labels = {
            "is_joinable": _("Anyone with the link may join"),
            "is_clearing_on_join": _("People who join may rate at once, without being cleared"),
        }
        help_texts = {"is_joinable": "", "is_clearing_on_join": ""}
