"""The form of the planner. Everything is in the query string, so that a plan is a link."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, cast

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from measures.pilots import COMPONENTS
from reporting.planner.facts import PlannerFacts, Score
from reporting.planner.plans import MOST_RATINGS, Load
from reporting.planner.variances import DEFAULTS, MAIN, OWN, PILOT, SHARE, WINS, default_variances

MOST_SOURCES = 200
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
        help_text=_("All dialogues of a batch have the same annotators."),
    )
    turns = forms.IntegerField(
        required=False, min_value=1, max_value=1000, label=_("Turns per dialogue"),
        help_text=_("Responses of each source that the same annotators rate."),
    )  # fmt: skip
    pairs = forms.IntegerField(
        required=False, min_value=1, max_value=MOST_SOURCES * MOST_SOURCES, label=_("Pairs per dialogue"),
        help_text=_(
            "Pairs of sources compared in each dialogue. If empty, all. A pair is compared once in a dialogue, so the "
            "plan has no turns."
        ),
    )  # fmt: skip
    together = forms.ChoiceField(
        required=False, label=_("Each conversation"),
        choices=[("yes", _("has responses of every source")), ("no", _("belongs to one source"))],
        help_text=_("In chat logs it usually belongs to one source. This study has no dialogues yet that would tell."),
    )  # fmt: skip
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
    s_turn = forms.FloatField(
        required=False, min_value=0, max_value=1e12, label=_("Between turns"),
        help_text=_("Variance of the true difference between two sources across the turns of a dialogue."),
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
        self.is_matched = self._is_matched(query.get("together", ""))
        self.usual = self._usual()
        given = {name: value for name, value in query.items() if name in self.base_fields}
        super().__init__(self.usual | given, auto_id="ask-%s", label_suffix="")
        self._offer()
        errors = self.errors  # validates
        self.values = self.usual | {name: value for name, value in self.cleaned_data.items() if name not in errors}

    def _usual(self) -> dict[str, Any]:
        span = self.score.span if self.score else 1.0
        variances = default_variances(span, self.unit, is_matched=self.is_matched)
        return {
            "criterion": self.score.criterion.key if self.score else "",
            "difference": 10 if self.is_percent else float(f"{span / 10:.2g}"),
            "power": 80,
            "level": 5,
            "sources": min(self.facts.n_sources, MOST_SOURCES),
            "comparisons": None,
            "ratings": min(self.facts.study.seats, MOST_RATINGS),
            "annotators": None,
            "dialogues": None,
            "batch_size": self.facts.batch_size,
            "turns": self.facts.turns if self.score and self.score.is_of_turns else 1,
            "pairs": self.facts.pairs,
            "together": "yes" if self.is_matched else "no",
            "minutes": self.facts.study.minutes_expected,
            "components": DEFAULTS,
            "pair": "",
            **{name: float(f"{value:.4g}") for name, value in variances.parts.items()},
        }

    def _is_matched(self, asked: str) -> bool:
        """Return what the material says or, if it does not, what is asked for."""
        known = self.facts.is_matched(self.score)
        return known if known is not None else self.unit == WINS or asked != "no"

    @property
    def asks_together(self) -> bool:
        return self.facts.is_matched(self.score) is None and self.unit != WINS

    def judgements_of_batch(self, load: Load) -> int | None:
        """Return one annotator's judgements in a batch of the study, which the minutes are for."""
        facts = self.facts
        if facts.batch_size is None:
            return None
        n = min(facts.n_sources, MOST_SOURCES)
        all_pairs, usual = n * (n - 1) // 2, replace(load, n_sources=n)
        pairs = min(facts.pairs or all_pairs, all_pairs)
        found = usual.of_dialogue(self.usual["turns"], pairs, is_matched=self.is_matched)
        return round(facts.batch_size * found / (1 if self.is_matched else n))

    @property
    def unit(self) -> str:
        return self.score.unit if self.score else SHARE

    @property
    def is_percent(self) -> bool:
        return self.unit in (SHARE, WINS)

    @property
    def with_turns(self) -> str:
        """Return the values of the form with which a field is shown."""
        return self._when(lambda score: score.is_of_turns) or "criterion:"

    @property
    def with_pairs(self) -> str:
        return self._when(lambda score: score.unit == WINS)

    def _when(self, holds: Callable[[Score], bool]) -> str:
        return " ".join(f"criterion:{key}" for key, score in self.facts.scores.items() if holds(score))

    def _offer(self) -> None:
        fields = cast(dict[str, forms.ChoiceField], self.fields)
        criteria = [(key, score.criterion.name) for key, score in self.facts.scores.items()]
        fields["criterion"].required = bool(criteria)
        fields["criterion"].choices = criteria or [("", gettext("a question with positive answers"))]
        few = self.facts.sources if len(self.facts.sources) <= MOST_PAIRED_SOURCES else []
        self.source_pairs = {f"{a.key}~{b.key}": (a, b) for a, b in combinations(few, 2)}
        pairs = [(key, f"{a.name} – {b.name}") for key, (a, b) in self.source_pairs.items()]
        fields["pair"].choices = [("", gettext("the mean over all pairs")), *pairs]
        if self.unit == WINS:
            unit = gettext("In percentage points: 10 means that a source wins 60 per cent, a tie counting half.")
        elif self.score is None or self.is_percent:
            unit = gettext("In percentage points: 10 means 60 per cent positive against 70.")
        else:
            ends = {"low": f"{self.score.low:g}", "high": f"{self.score.high:g}"}
            unit = gettext("In scale points. The scale runs from %(low)s to %(high)s.") % ends
        self.fields["difference"].help_text = unit
        if self.facts.batch_size is not None:
            size = gettext(
                "For a batch of %(n)s dialogues, as in the study. Another size takes time by its judgements."
            )
            self.fields["minutes"].help_text = size % {"n": f"{self.facts.batch_size:,}"}
        for name in COMPONENTS:
            self.fields[name].required = self.data["components"] == OWN and name != "s_turn"
        for field in self.fields.values():
            if isinstance(field.widget, forms.NumberInput):
                field.widget.attrs["step"] = "any" if isinstance(field, forms.FloatField) else "1"

    def clean_difference(self) -> float:
        most = {SHARE: 100.0, WINS: 50.0}.get(self.unit) or (self.score.span if self.score else 1.0)
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
        return int(self.values["comparisons"] or self.all_pairs)

    @property
    def all_pairs(self) -> int:
        n = self.values["sources"]
        return int(n * (n - 1) // 2)
