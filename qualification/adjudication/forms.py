"""Forms of adjudication and the case library. They validate input; services make the changes."""

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Item, Study
from protocols.models import Criterion, Option
from protocols.specs import spec_of
from qualification.models import AdjudicationPlan, Case, Disagreement

LONGEST_NOTE = 5_000
ACTIVE, PUT_AWAY = "", "away"


class NoteField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        known: dict[str, Any] = {"required": False, "max_length": LONGEST_NOTE, "label": _("Note")}
        super().__init__(**known | {"widget": forms.Textarea(attrs={"rows": 3, "dir": "auto"})} | kwargs)


class OptionField(forms.ModelChoiceField):
    def label_from_instance(self, option: Option) -> str:
        return option.label


class AdjudicationPlanForm(forms.ModelForm):
    """Edit the adjudication plan. If no question is ticked, it covers all questions, also those of later versions."""

    class Meta:
        model = AdjudicationPlan
        fields = ("is_on", "criteria")
        labels = {"is_on": _("Adjudicate disagreements"), "criteria": _("Questions")}
        help_texts = {
            "is_on": _("The two annotators of a batch re-rate what they answered differently."),
            "criteria": _("If you tick none: every question that all annotators answer with one option."),
        }
        widgets = {"criteria": forms.CheckboxSelectMultiple}

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        counted = spec_of(study.protocol_version).counted
        field = cast(forms.ModelMultipleChoiceField, self.fields["criteria"])
        field.queryset = Criterion.objects.filter(pk__in=[each.id for each in counted]).order_by("position")
        if self.instance.pk:  # tick the same questions if they were ticked under an earlier version
            keys = self.instance.criteria.values_list("key", flat=True)
            self.initial["criteria"] = field.queryset.filter(key__in=keys)


class SettleForm(forms.Form):
    """Settle a label. `options` are (id, label), so that a page of forms makes no query for each."""

    option = forms.TypedChoiceField(coerce=int, label=_("Correct answer"), widget=forms.RadioSelect)
    note = NoteField(help_text=_("Why it is correct. Kept with the label."))

    def __init__(
        self, *args: Any, disagreement: Disagreement, options: Iterable[tuple[int, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs | {"auto_id": f"settle-{disagreement.pk}-%s"})
        cast(forms.ChoiceField, self.fields["option"]).choices = list(options)


class CaseForm(forms.Form):
    option = OptionField(queryset=Option.objects.none(), required=False, label=_("Correct answer"))
    note = NoteField(help_text=_("What to learn from it. It becomes the explanation of an example."))

    def __init__(self, *args: Any, case: Case, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"auto_id": f"case-{case.pk}-%s"})
        self.initial = {"option": case.option_id, "note": case.note}
        cast(forms.ModelChoiceField, self.fields["option"]).queryset = case.criterion.options.all()


class QuestionFilter(forms.Form):
    """Choose one of the questions, given as (key, name), or all."""

    criterion = forms.ChoiceField(required=False, label=_("Question"))

    def __init__(self, *args: Any, questions: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["criterion"]).choices = [("", _("all questions")), *questions]


class CasesFilter(QuestionFilter):
    shelf = forms.ChoiceField(
        required=False, label=_("Cases"), choices=[(ACTIVE, _("in use")), (PUT_AWAY, _("archived"))]
    )


class LookUpForm(forms.Form):
    dialogue = forms.CharField(max_length=200, label=_("Dialogue key"), help_text=_("As imported."))


class NewCaseForm(forms.Form):
    """Add an item of the dialogue that was looked up, with the answer to one question, as a case."""

    item = forms.ModelChoiceField(queryset=Item.objects.none(), to_field_name="token", widget=forms.HiddenInput)
    answer = forms.ModelChoiceField(queryset=Option.objects.none(), label=_("Correct answer"))
    note = NoteField(help_text=_("What to learn from it. It becomes the explanation of an example."))

    def __init__(self, *args: Any, study: Study, item: Item, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"auto_id": f"new-{item.token}-%s"})
        cast(forms.ModelChoiceField, self.fields["item"]).queryset = Item.objects.filter(pk=item.pk)
        self.initial["item"] = item.token
        field = cast(forms.ModelChoiceField, self.fields["answer"])
        asked = [
            each for each in spec_of(study.protocol_version).asked_of(item.unit) if each.kind == Criterion.Kind.SINGLE
        ]
        field.queryset = Option.objects.filter(criterion__in=[each.id for each in asked]).select_related("criterion")
        field.choices = [("", "…"), *((each.name, [(o.id, o.label) for o in each.options]) for each in asked)]
