"""The form of the planner. Everything is in the query string, so that a plan is a link."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, cast

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from measures.planning import COMPONENTS
from reporting.planner.facts import PlannerFacts
from reporting.planner.plans import DEFAULT_BETWEEN, DEFAULT_WITHIN, DEFAULTS, MAIN, OWN, PILOT

MOST_SOURCES, MOST_RATINGS = 200, 50
MOST_PAIRED_SOURCES = 12  # 66 pairs to choose from; with more sources, only the mean over all pairs


class PlannerForm(forms.Form):
    """A form that is always bound: what the query string leaves out gets a default.

    `values` is complete even with errors: defaults replace the invalid values.
    """

    use_required_attribute = False  # otherwise a browser would insist on fields that are hidden

    criterion = forms.ChoiceField(label=_("Criterion"))
    difference = forms.FloatField(min_value=0.0001, label=_("Smallest difference worth detecting"))
    power = forms.FloatField(
        min_value=50,
        max_value=99.9,
        label=_("Power, per cent"),
        help_text=_("How often such a study should detect it."),
    )
    level = forms.FloatField(
        min_value=0.1, max_value=20, label=_("Significance level, per cent"),
        help_text=_("How often a test may report a difference that does not exist."),
    )  # fmt: skip
    sources = forms.IntegerField(min_value=2, max_value=MOST_SOURCES, label=_("Sources"))
    comparisons = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, label=_("Comparisons"),
        help_text=_("The level is divided among them. If empty, every pair of sources."),
    )  # fmt: skip
    ratings = forms.IntegerField(
        min_value=1, max_value=MOST_RATINGS, label=_("Annotators per dialogue"),
        help_text=_("Ratings per response, which is the number of seats of a batch."),
    )  # fmt: skip
    annotators = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, label=_("Annotators in total"),
        help_text=_("If empty, the same people rate everything."),
    )  # fmt: skip
    dialogues = forms.IntegerField(
        required=False, min_value=2, max_value=1_000_000, label=_("Dialogues"),
        help_text=_("If empty, as many as are needed. A number shows what it can detect."),
    )  # fmt: skip
    batch_size = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100_000,
        label=_("Dialogues per batch"),
        help_text=_("Used to estimate time and pay."),
    )
    minutes = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, label=_("Minutes per batch"),
        help_text=_("Including all its sources and questions."),
    )  # fmt: skip
    components = forms.ChoiceField(
        label=_("Variances from"),
        choices=[
            (DEFAULTS, _("typical values")),
            (PILOT, _("this study's pilot batches")),
            (MAIN, _("this study's main batches so far")),
            (OWN, _("your own values")),
        ],
        help_text=_("The more answers vary, the more of them are needed."),
    )  # fmt: skip
    pair = forms.ChoiceField(required=False, label=_("Pair of sources"))
    s_between = forms.FloatField(
        required=False, min_value=0, max_value=1e12, label=_("Between dialogues"),
        help_text=_("Variance of the true difference between two sources across dialogues, in squared points."),
    )  # fmt: skip
    s_within = forms.FloatField(
        required=False, min_value=0, max_value=1e12, label=_("Within a dialogue"),
        help_text=_("Variance of a single annotator's difference around the true difference."),
    )  # fmt: skip
    s_annotator = forms.FloatField(
        required=False, min_value=0, max_value=1e12, label=_("Between annotators"),
        help_text=_("Variance of annotators' general preference for a source. 0 if annotators do not differ."),
    )  # fmt: skip

    def __init__(self, query: Mapping[str, str], facts: PlannerFacts) -> None:
        self.facts = facts
        # That of the requested criterion, or of the first one.
        self.score = facts.scores.get(query.get("criterion", "")) or next(iter(facts.scores.values()), None)
        self.usual = self._usual()
        given = {name: value for name, value in query.items() if name in self.base_fields}
        super().__init__(self.usual | given, auto_id="ask-%s", label_suffix="")
        self._offer()
        errors = self.errors  # validates
        self.values = self.usual | {name: value for name, value in self.cleaned_data.items() if name not in errors}

    def _usual(self) -> dict[str, Any]:
        span = self.score.span if self.score else 1.0
        is_share = self.score is None or self.score.is_share
        return {
            "criterion": self.score.criterion.key if self.score else "",
            "difference": 10 if is_share else float(f"{span / 10:.2g}"),
            "power": 80,
            "level": 5,
            "sources": min(self.facts.n_sources, MOST_SOURCES),
            "comparisons": None,
            "ratings": min(self.facts.study.seats, MOST_RATINGS),
            "annotators": None,
            "dialogues": None,
            "batch_size": self.facts.batch_size,
            "minutes": self.facts.study.minutes_expected,
            "components": DEFAULTS,
            "pair": "",
            "s_between": float(f"{DEFAULT_BETWEEN * span**2:.4g}"),
            "s_within": float(f"{DEFAULT_WITHIN * span**2:.4g}"),
            "s_annotator": 0,
        }

    def _offer(self) -> None:
        fields = cast(dict[str, forms.ChoiceField], self.fields)
        criteria = [(key, score.criterion.name) for key, score in self.facts.scores.items()]
        fields["criterion"].required = bool(criteria)
        fields["criterion"].choices = criteria or [("", gettext("a question with positive answers"))]
        few = self.facts.sources if len(self.facts.sources) <= MOST_PAIRED_SOURCES else []
        self.pairs = {f"{a.key}~{b.key}": (a, b) for a, b in combinations(few, 2)}
        pairs = [(key, f"{a.name} – {b.name}") for key, (a, b) in self.pairs.items()]
        fields["pair"].choices = [("", gettext("the mean over all pairs")), *pairs]
        if self.score is None or self.score.is_share:
            unit = gettext("In percentage points: 10 means 60 per cent positive against 70.")
        else:
            ends = {"low": f"{self.score.low:g}", "high": f"{self.score.high:g}"}
            unit = gettext("In scale points. The scale runs from %(low)s to %(high)s.") % ends
        self.fields["difference"].help_text = unit
        for name in COMPONENTS:
            self.fields[name].required = self.data["components"] == OWN
        for field in self.fields.values():
            if isinstance(field.widget, forms.NumberInput):
                field.widget.attrs["step"] = "any" if isinstance(field, forms.FloatField) else "1"

    def clean_difference(self) -> float:
        most = 100.0 if self.score is None or self.score.is_share else self.score.span
        if self.cleaned_data["difference"] >= most:
            raise forms.ValidationError(
                gettext("Two sources cannot differ by %(most)s or more.") % {"most": f"{most:g}"}
            )
        return float(self.cleaned_data["difference"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        annotators, ratings = cleaned.get("annotators"), cleaned.get("ratings")
        if annotators and ratings and annotators < ratings:
            text = gettext("Each dialogue has %(n)s annotators, so the total cannot be smaller.")
            self.add_error("annotators", text % {"n": ratings})
        if cleaned.get("components") == OWN and cleaned.get("s_between") == 0 == cleaned.get("s_within"):
            for name in ("s_between", "s_within"):
                self.add_error(name, gettext("Without any variance there is nothing to plan."))
        return cleaned

    @property
    def n_comparisons(self) -> int:
        n = self.values["sources"]
        return int(self.values["comparisons"] or n * (n - 1) // 2)
