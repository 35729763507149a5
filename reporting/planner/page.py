"""The template context of the planner, and its JSON document."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlencode

from annotation.models import Source, Study
from measures.pilots import COMPONENTS
from reporting.planner.advice import advice
from reporting.planner.components import pilot_components
from reporting.planner.facts import PAIRED, PlannerFacts, Unit, planner_facts
from reporting.planner.forms import PlannerForm
from reporting.planner.plans import USUAL_BATCH, Load, PlannedTest, StudyPlan, make_plan
from reporting.planner.sentences import answer, assumed, doubts, origin, study_has, tested, uneven
from reporting.planner.tables import (
    annotators_table,
    curve_picture,
    dialogues_table,
    differences_table,
    facts,
    variance_facts,
)
from reporting.planner.variances import DEFAULTS, OWN, PILOT, Variances, default_variances

NOT_RATED, TOO_FEW, NO_SPREAD = "not_rated", "too_few", "no_spread"


class Planned:
    """The plan of a study for a query string. Defaults replace invalid values."""

    def __init__(self, study: Study, query: Mapping[str, str]) -> None:
        self.study = study
        self.facts = planner_facts(study)
        self.form = PlannerForm(query, self.facts)
        self.variances, self.fallback = _variances(self.form, self.facts)
        self.load = _load(self.form, self.facts)
        self.plan: StudyPlan = make_plan(self._question(), self.load)

    def _question(self) -> PlannedTest:
        values, score, form = self.form.values, self.form.score, self.form
        return PlannedTest(
            unit=form.unit,
            span=score.span if score else 1.0,
            difference=values["difference"] / (100 if form.is_percent else 1),
            power=values["power"] / 100,
            level=values["level"] / 100,
            n_comparisons=self.form.n_comparisons,
            ratings=values["ratings"],
            n_annotators=values["annotators"],
            n_dialogues=values["dialogues"],
            variances=self.variances,
            batch_size=values["batch_size"] or USUAL_BATCH,
            turns=(values["turns"] or 1) if score is None or score.is_of_turns else 1,
            n_sources=values["sources"],
            pairs=min(values["pairs"] or form.all_pairs, form.all_pairs),
            is_matched=form.is_matched,
        )

    @property
    def pair(self) -> str:
        """Return the names of the two sources that the variances describe, or "" for the mean over pairs."""
        chosen = self.form.source_pairs.get(self.form.values["pair"])
        return " – ".join(source.name for source in chosen) if chosen else ""


def planner_page(study: Study, query: Mapping[str, str]) -> dict[str, Any]:
    planned = Planned(study, query)
    plan, form, load = planned.plan, planned.form, planned.load
    question = plan.question
    # All values including defaults, so that a link keeps its plan when defaults change.
    link = {name: str(value) for name, value in form.data.items() if value not in (None, "")}
    return {
        "form": form,
        "plan": plan,
        "answer": answer(plan, load),
        "facts": facts(plan, load),
        "advice": advice(plan),
        "origin": origin(plan.question.variances, question, planned.pair),
        "variances": variance_facts(question),
        "doubts": doubts(question.variances, question.turns),
        "tested": tested(question),
        "uneven": uneven(plan),
        "fallback": planned.fallback,
        "by_difference": differences_table(plan),
        "by_dialogues": dialogues_table(plan),
        "by_annotators": annotators_table(plan),
        "columns": plan.by_difference.columns,
        "picture": curve_picture(plan),
        "has_pilot": PILOT in planned.facts.rated_kinds and form.values["components"] == DEFAULTS,
        "is_of_wholes": form.score is not None and form.score.is_of_wholes,
        "assumed": assumed(question, plan.n_dialogues, plan.n_annotators),
        "study_has": study_has(planned.facts),
        "is_short": bool(planned.facts.n_dialogues and (plan.n_dialogues or 0) > planned.facts.n_dialogues),
        "is_percent": question.is_percent,
        "query": urlencode(link),
        "pilot_query": urlencode(link | {"components": PILOT}),
    }


def planner_document(study: Study, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the plan for JSON, or the errors by field."""
    planned = Planned(study, query)
    if planned.form.errors:
        return {"errors": {name: [str(each) for each in errors] for name, errors in planned.form.errors.items()}}
    plan, score = planned.plan, planned.form.score
    return {
        "study": study.slug,
        "protocol": study.protocol_version.protocol.slug,
        "protocol_version": study.protocol_version.version,
        "criterion": score.criterion.key if score else None,
        "pair": planned.form.values["pair"] or None,
        "variances_not_from_the_study_because": planned.fallback or None,
        **asdict(plan),  # in points of the score
        "question": asdict(plan.question) | {"level_per_comparison": plan.question.level_each},
        "load": asdict(planned.load),
    }


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _variances(form: PlannerForm, facts: PlannerFacts) -> tuple[Variances, str]:
    """Return the requested variances, or the defaults and the reason if the study does not have them."""
    values, score = form.values, form.score
    usual = default_variances(score.span if score else 1.0, form.unit, is_matched=form.is_matched)
    kind = values["components"]
    if kind == DEFAULTS:
        return usual, ""
    if kind == OWN:
        between, turn, within, annotator = (values[name] or 0.0 for name in COMPONENTS)
        return Variances(between, within, annotator, OWN, s_turn=turn), ""
    if kind not in facts.rated_kinds or score is None:
        return usual, NOT_RATED
    sources: list[Source] = list(form.source_pairs.get(values["pair"]) or facts.sources)
    found = pilot_components(facts.study, score.criterion, kind, [source.pk for source in sources])
    if found.reason:
        return usual, NO_SPREAD if found.reason == NO_SPREAD else TOO_FEW
    between, turn, within, annotator = (getattr(found, name) for name in COMPONENTS)
    sizes = found.n_pairs, found.n_dialogues, found.n_annotators
    return Variances(between, within, annotator, kind, *sizes, found.at_zero, turn, found.are_turns_known), ""


def _load(form: PlannerForm, facts: PlannerFacts) -> Load:
    units = [criterion.unit for criterion in facts.spec.counted]
    pay = facts.study.pay_amount
    load = Load(
        n_sources=form.values["sources"],
        n_per_source=sum(unit in PAIRED for unit in units),
        n_per_dialogue=sum(unit == Unit.DIALOGUE for unit in units),
        n_per_pair=sum(unit == Unit.COMPARISON for unit in units),
        batch_size=form.values["batch_size"],
        minutes=form.values["minutes"],
        pay=None if pay is None else float(pay),
        currency=facts.study.pay_currency,
    )
    return replace(load, n_in_batch=form.judgements_of_batch(load))
