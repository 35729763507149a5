"""The form that deals dialogues out into batches."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.dealing import DIALOGUES
from annotation.models import Batch
from annotation.selectors.batch_sizes import Sizes
from annotation.selectors.pilots import Pilot
from annotation.services.batching import TURNS_FIELD


class MakeBatchesForm(forms.Form):
    """Choose how dialogues are dealt out into batches."""

    BY = (
        ("given", _("By the batch column of the import")),
        ("size", _("In batches of equal size")),
        ("stratified", _("In batches of equal size, balanced by a metadata field")),
    )

    by = forms.ChoiceField(choices=BY, initial="size", widget=forms.RadioSelect, label=_("Method"))
    size = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, initial=10,
        label=_("Dialogues per batch"),
        help_text=_(
            "What one person rates in one sitting. Conversations and scenarios stay whole, so the sizes of batches may "
            "differ."
        ),
    )  # fmt: skip
    counts = forms.ChoiceField(
        required=False, label=_("The size counts"), help_text=_("Conversations and scenarios stay whole either way.")
    )
    field = forms.ChoiceField(
        required=False, label=_("Metadata field"), help_text=_("Every batch gets the same share of each value.")
    )
    k = forms.IntegerField(
        required=False, min_value=1, max_value=1000, label=_("Sources per dialogue"),
        help_text=_("If empty, all are shown. With a number, each dialogue shows a balanced subset of its candidates."),
    )  # fmt: skip
    n_pairs = forms.IntegerField(
        required=False, min_value=1, max_value=1000, label=_("Pairs per dialogue"),
        help_text=_("If empty, every pair of sources is compared. With a number, each dialogue, or each scenario of "
            "whole dialogues, shows a balanced part of them. Dialogues that list their pairs show those."),
    )  # fmt: skip
    repeat_percent = forms.IntegerField(
        required=False, min_value=1, max_value=100, label=_("Pairs shown again, per cent"),
        help_text=_("With the sides swapped, at the end of the batch. They are no results: they show whether people "
            "prefer a side, and whether they agree with themselves."),
    )  # fmt: skip
    n_dialogues = forms.IntegerField(
        required=False, min_value=1, max_value=1_000_000, label=_("Total number of dialogues"),
        help_text=_("If empty, all that are not yet in a batch of this kind. A number counts those that are; the "
            "rest are drawn at random."),
    )  # fmt: skip
    seats = forms.IntegerField(
        required=False, min_value=1, max_value=1000, label=_("Annotators per batch"),
        help_text=_("If empty, the study's number, or the pilot's for a batch that repeats a pilot."),
    )  # fmt: skip
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.label) for kind in Batch.DEALT], initial=Batch.Kind.MAIN, label=_("Kind"),
        help_text=_("Results of pilots and training are kept separate from the main data."),
    )  # fmt: skip
    is_fresh_only = forms.BooleanField(
        required=False, label=_("Only dialogues that are in no batch of another kind"),
        help_text=_("Nobody then rates in the main work what they saw in a pilot or qualified with."),
    )  # fmt: skip
    same_as = forms.ChoiceField(
        required=False, label=_("Same dialogues as"),
        help_text=_("The batch shows exactly what this pilot shows: its dialogues, responses and sources."),
    )  # fmt: skip
    takes_others = forms.BooleanField(
        required=False, label=_("Use other dialogues"),
        help_text=_("Otherwise a pilot or qualification batch repeats an earlier pilot."),
    )  # fmt: skip

    def __init__(
        self,
        *args: Any,
        fields: list[str],
        pilots: Sequence[Pilot] = (),
        is_comparing: bool = False,
        sizes: Sizes,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        size = self.fields["size"]
        size.help_text = " ".join(filter(None, (str(size.help_text), sizes.words)))
        if sizes.units:
            size.label = _("Size of a batch")
            cast(forms.ChoiceField, self.fields["counts"]).choices = sizes.units
        else:
            del self.fields["counts"]
        for name in ("k",) if is_comparing else ("n_pairs", "repeat_percent"):
            del self.fields[name]
        offered = []
        for each in pilots:
            text = ngettext("%(key)s (%(n)s dialogue)", "%(key)s (%(n)s dialogues)", each.n_dialogues)
            offered.append((each.key, text % {"key": each.key, "n": each.n_dialogues}))
        cast(forms.ChoiceField, self.fields["same_as"]).choices = offered
        self.pilots = pilots
        named = [(name, name) for name in fields if name != TURNS_FIELD]
        choices = [("", _("Choose a field")), *named, (TURNS_FIELD, _("the number of turns"))]
        cast(forms.ChoiceField, self.fields["field"]).choices = choices

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.repeated:
            return {name: value for name, value in cleaned.items() if name in ("kind", "seats", "same_as")}
        by = cleaned.get("by")
        if by in {"size", "stratified"} and not cleaned.get("size") and "size" not in self.errors:
            self.add_error("size", _("Enter the number of dialogues per batch."))
        if by == "stratified" and not cleaned.get("field") and "field" not in self.errors:
            self.add_error("field", _("Choose the field to balance by."))
        return cleaned

    @property
    def repeated(self) -> str:
        """Return the key of the pilot whose items the batch shows; empty if dialogues are dealt out."""
        given = self.cleaned_data
        is_repeating = given.get("kind") in Batch.REPEATING and not given.get("takes_others")
        return given.get("same_as") or self.pilots[0].key if self.pilots and is_repeating else ""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the service; those that the chosen method does not use are None."""
        apart = ("same_as", "takes_others")
        values = {name: value or None for name, value in self.cleaned_data.items() if name not in apart}
        values["is_fresh_only"] = self.cleaned_data["is_fresh_only"]
        values["counts"] = values.get("counts") or DIALOGUES
        unused = {"given": ("size", "field"), "size": ("field",)}.get(str(values["by"]), ())
        return values | dict.fromkeys(unused)
