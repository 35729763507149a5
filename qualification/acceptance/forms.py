"""Forms of batch acceptance. They validate input; services make the changes."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Group, Study
from protocols.models import Criterion
from protocols.specs import spec_of
from qualification.acceptance.selectors.plans import Kind, reviewable
from qualification.models import AcceptancePlan, Sample

# Above these sizes, computing the curve of a plan takes too long for a request.
MOST_DRAWN, MOST_IN_TURN = 1000, 2000


class ShareField(forms.FloatField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"min_value": 0, "max_value": 1, "step_size": 0.005} | kwargs)


class DrawnField(forms.IntegerField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs | {"min_value": 1, "max_value": MOST_DRAWN})


class InTurnField(forms.IntegerField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs | {"min_value": 1, "max_value": MOST_IN_TURN})


class CriterionField(forms.ModelChoiceField):
    def label_from_instance(self, criterion: Criterion) -> str:
        return criterion.name


class AcceptancePlanForm(forms.ModelForm):
    """Edit the acceptance plan. The numbers of the kinds that are not chosen are kept too."""

    criterion = CriterionField(
        queryset=Criterion.objects.none(), label=_("Label"), empty_label=_("Choose a criterion"),
        help_text=_("The answer under review. Its options are the classes."),
    )  # fmt: skip

    class Meta:
        model = AcceptancePlan
        fields = (
            "is_on", "criterion", "kind", "n_sample", "least_overall", "least_of_class", "fewest_of_class",
            "top_up_to", "most_errors", "good", "bad", "producer_risk", "consumer_risk", "most_sampled", "is_blind",
            "is_returned_automatically",
        )  # fmt: skip
        labels = {
            "is_on": _("Review finished batches"),
            "kind": _("Plan"),
            "n_sample": _("Sample size"),
            "least_overall": _("Minimum overall accuracy"),
            "least_of_class": _("Minimum accuracy of each class"),
            "fewest_of_class": _("Minimum items per class"),
            "top_up_to": _("Top up rare classes to"),
            "most_errors": _("Maximum errors"),
            "good": _("Good accuracy"),
            "bad": _("Bad accuracy"),
            "producer_risk": _("Risk of returning a good batch"),
            "consumer_risk": _("Risk of accepting a bad batch"),
            "most_sampled": _("Maximum items reviewed"),
            "is_blind": _("Hide the label from controllers"),
            "is_returned_automatically": _("Return failed batches automatically"),
        }
        help_texts = {
            "n_sample": _("Items drawn at random from each finished batch."),
            "least_overall": "",
            "least_of_class": _("Classes follow the annotators' labels. 0 sets no minimum."),
            "fewest_of_class": _("A class with fewer items is not assessable and is left out of the rule."),
            "top_up_to": _("Classes with too few items get extra ones, or all there are. 0 adds none."),
            "most_errors": _(
                "With 233 items and 17 errors, batches at 95 per cent accuracy are accepted and batches at 90 "
                "per cent returned, with small risks."
            ),
            "good": _("Batches as good as this are accepted."),
            "bad": _("Batches as bad as this are returned."),
            "most_sampled": _("A batch still undecided at this point is returned."),
            "is_blind": _("Controllers rate the items on the same screen as annotators."),
            "is_returned_automatically": _("Otherwise a team lead confirms every return."),
        }
        widgets = {"kind": forms.RadioSelect}
        field_classes = {
            "n_sample": DrawnField,
            "most_sampled": InTurnField,
            **dict.fromkeys(
                ("least_overall", "least_of_class", "good", "bad", "producer_risk", "consumer_risk"), ShareField
            ),
        }

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.spec = spec_of(study.protocol_version)
        offered = [criterion.id for criterion in reviewable(self.spec)]
        field = cast(CriterionField, self.fields["criterion"])
        field.queryset = Criterion.objects.filter(pk__in=offered).order_by("position")
        known = self.instance.criterion
        if known is not None and known.pk not in offered and known.key in self.spec.by_key:
            self.initial["criterion"] = self.spec.by_key[known.key].id  # the same question in the present version

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("kind") == Kind.FIXED and (cleaned.get("most_errors") or 0) >= (cleaned.get("n_sample") or 1):
            self.add_error("most_errors", _("With this many errors allowed, no batch could fail."))
        criterion = cleaned.get("criterion")
        labelled = {each.id for each in reviewable(self.spec, is_blind=False)}
        if criterion and not cleaned.get("is_blind") and criterion.pk not in labelled:
            self.add_error(
                "is_blind", _("This label is computed from other answers, so it can only be reviewed blind.")
            )
        return cleaned


class DecisionForm(forms.Form):
    """Confirm the return of a batch, or override the decision about it."""

    CONFIRM = "confirm"

    to = forms.ChoiceField(
        choices=[
            (CONFIRM, CONFIRM),
            *((each, each.label) for each in (Sample.Decision.ACCEPT, Sample.Decision.RETURN)),
        ]
    )
    reason = forms.CharField(
        max_length=2000, label=_("Reason"), widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Kept with the decision and in the log."),
    )  # fmt: skip
    group = forms.ModelChoiceField(
        queryset=Group.objects.none(), required=False, label=_("Next round rated by"), empty_label=_("anyone"),
        help_text=_("The group that gets the batch in its next round."),
    )  # fmt: skip

    def __init__(self, *args: Any, sample: Sample, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups = sample.batch.study.groups.all()
        cast(forms.ModelChoiceField, self.fields["group"]).queryset = groups
        self.fields["group"].initial = sample.batch.group_id
        self.fields["reason"].required = self.data.get("to") != self.CONFIRM


class GroupForm(forms.ModelForm):
    class Meta:
        model = Group
        fields = ("name",)
        labels = {"name": _("Group name")}


class DealingForm(forms.Form):
    is_dealt_to_groups = forms.BooleanField(
        required=False, label=_("Groups take batches"),
        help_text=_("When an annotator starts a batch, their group takes it. Nobody from another group may join."),
    )  # fmt: skip


class IntoGroupForm(forms.Form):
    """Choose the group for the ticked annotators and batches; an empty choice takes them out of their group."""

    group = forms.ModelChoiceField(
        queryset=Group.objects.none(), required=False, empty_label=_("no group"), label=_("Group")
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ModelChoiceField, self.fields["group"]).queryset = study.groups.all()
