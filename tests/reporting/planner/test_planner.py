"""The planner: the printed table, what the pages say and to whom, and variances from a study's own ratings."""

import json
from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Rating, Study
from measures.systems import crossed_variance_t, dialogue_t
from protocols.specs import CriterionSpec, spec_of
from reporting.planner.components import pilot_components
from reporting.planner.plans import OWN, PILOT, SCALE, SHARE, Load, PlannedTest, Variances, default_variances, make_plan
from reporting.planner.sentences import advice, answer, doubts, points
from reporting.planner.tables import curve_picture, dialogues_table, differences_table, facts
from tests.cast import Cast
from tests.factories import MembershipFactory, StudyFactory, make_batch
from tests.factories_protocols import make_scale_version
from tests.he_study import SOURCES, he_rows, load_he_study

NOW = timezone.now()
TABLE = {5: (1041, 582, 429, 306, 254), 10: (261, 146, 108, 77, 64), 15: (116, 65, 48, 34, 29)}  # as printed
LOAD = Load(n_sources=5, n_per_source=4, n_per_dialogue=0, batch_size=10, minutes=35, pay=3.5, currency="GBP")


def question(**asked) -> PlannedTest:
    usual = {
        "unit": SHARE,
        "span": 1.0,
        "difference": 0.1,
        "power": 0.8,
        "level": 0.05,
        "n_comparisons": 1,
        "ratings": 3,
        "n_annotators": None,
        "n_dialogues": None,
        "variances": default_variances(1.0),
    }
    return PlannedTest(**usual | asked)


def own(s_annotator: float) -> Variances:
    return Variances(0.0388, 0.2927, s_annotator, OWN)


# --- the plan ------------------------------------------------------------------------------------------
def test_the_usual_values_give_the_printed_table():
    grid = make_plan(question(), LOAD).by_difference
    assert grid.columns == (1, 2, 3, 5, 7)
    assert {round(100 * row.value): row.cells for row in grid.rows} == TABLE
    assert [row.chosen for row in grid.rows] == [None, 2, None]


def test_a_plan_says_what_it_takes():
    plan = make_plan(question(n_annotators=33), LOAD)
    assert (plan.n_needed, plan.n_dialogues, plan.work.ratings_each) == (108, 108, 324)
    assert plan.work.n_judgements == 108 * 3 * 5 * 4
    assert (plan.work.n_batches, plan.work.n_turns, plan.work.cost) == (11, 33, 33 * 3.5)
    assert plan.work.hours == pytest.approx(10.8 * 3 * 35 / 60)
    assert plan.work.hours_each == pytest.approx(plan.work.hours / 33)
    assert " ".join(answer(plan, LOAD)) == (
        "108 dialogues with 3 annotators each detect a difference of 10 points with 80 % power. That is 324 ratings "
        "per source and criterion, and 6,480 judgements in total. About 0.57 hours of work per annotator. "
        "Pay: 115.50 GBP."
    )


def test_a_number_of_dialogues_is_told_what_it_finds_and_what_it_lacks():
    plan = make_plan(question(n_dialogues=42, ratings=7), LOAD)
    assert plan.power == pytest.approx(0.627, abs=0.001)
    assert plan.detectable == pytest.approx(0.1228, abs=0.0001)
    assert answer(plan, LOAD)[:3] == [
        "42 dialogues with 7 annotators each detect a difference of 10 points with 63 % power.",
        "With 80 % power they detect a difference of 12.3 points or more.",
        "To detect a difference of 10 points with 80 % power, plan 64 dialogues.",
    ]
    assert [row.value for row in plan.by_dialogues.rows] == [25, 42, 50, 100, 200, 400]


@pytest.mark.parametrize(
    ("dialogues", "ratings", "difference", "simulated"),
    [(100, 3, 0.10, 0.77), (42, 7, 0.15, 0.92), (400, 7, 0.05, 0.91)],
)
def test_the_power_is_that_of_the_printed_simulations(dialogues, ratings, difference, simulated):
    plan = make_plan(question(n_dialogues=dialogues, ratings=ratings, difference=difference), LOAD)
    assert plan.power == pytest.approx(simulated, abs=0.04)


@pytest.mark.parametrize(("ratings", "groups", "s_annotator"), [(3, 1, 0.0), (3, 10, 0.0), (7, 4, 0.0), (3, 10, 0.01)])
def test_both_powers_are_those_of_simulated_studies(ratings, groups, s_annotator):
    asked = question(ratings=ratings, n_dialogues=60, n_annotators=ratings * groups, variances=own(s_annotator))
    plan, rng, n_runs = make_plan(asked, LOAD), np.random.default_rng(5), 600
    found = np.zeros(2)
    for _ in range(n_runs):
        shape = (60 // groups, ratings)
        blocks = [
            0.1
            + rng.normal(0, np.sqrt(0.0388), (shape[0], 1))
            + rng.normal(0, np.sqrt(s_annotator), (1, ratings))
            + rng.normal(0, np.sqrt(0.2927), shape)
            for _ in range(groups)
        ]
        tests = crossed_variance_t(blocks), dialogue_t(blocks)
        found += [test.p_value is not None and test.p_value < 0.05 for test in tests]
    assert plan.power_of_report == pytest.approx(found[0] / n_runs, abs=0.05)
    if not s_annotator:  # with it, a test over dialogues alone is not one
        assert plan.power == pytest.approx(found[1] / n_runs, abs=0.05)


def test_few_annotators_cost_power_and_the_plan_says_so():
    alone = make_plan(question(), LOAD)
    assert alone.power_of_report < 0.6 < 0.8 < alone.power
    assert "few_annotators" in alone.advice
    assert [crowd.n_annotators for crowd in alone.by_annotators] == [3, 6, 12, 24, 48]
    powers = [crowd.power for crowd in alone.by_annotators]
    assert powers == sorted(powers)
    assert "few_annotators" not in make_plan(question(n_annotators=48), LOAD).advice


def test_annotators_who_differ_need_more_annotators_not_more_dialogues():
    hopeless = make_plan(question(ratings=7, variances=own(0.01)), LOAD)
    assert (hopeless.n_needed, hopeless.n_dialogues, hopeless.work) == (None, None, None)
    assert hopeless.advice[0] == "more_annotators"
    (sentence,) = answer(hopeless, LOAD)
    assert sentence.startswith("With 7 annotators in total, no number of dialogues detects")
    assert sentence.endswith("You need at least 8 annotators.")
    assert "–" in [figure.text for line in differences_table(hopeless) for figure, _ in line.cells]
    some = make_plan(question(n_annotators=20, variances=own(0.01)), LOAD)
    assert some.n_needed > 108
    assert "annotators_differ" in some.advice
    assert some.annotators_share == pytest.approx(0.01 / 20 / (0.1**2 / 7.849), abs=0.01)


def test_several_comparisons_share_the_level_and_one_rating_is_warned_about():
    plan = make_plan(question(n_comparisons=10, ratings=1), LOAD)
    assert plan.question.level_each == pytest.approx(0.005)
    assert plan.n_needed > 261
    assert {"comparisons", "three_ratings", "more_dialogues"} <= set(plan.advice)
    assert plan.power_of_report is None
    assert all(sentence and "%(" not in sentence for sentence in advice(plan))


def test_what_is_unknown_of_the_work_stays_a_dash():
    plan = make_plan(question(), Load(2, 4, 0, None, 2000, None, ""))
    shown = {fact.name: fact.figure.text for fact in facts(plan, Load(2, 4, 0, None, 2000, None, ""))}
    assert (shown["Batches"], shown["Hours per annotator"], shown["Total pay"]) == ("–", "–", "–")
    assert shown["Judgements in total"] == f"{108 * 3 * 2 * 4:,}"


def test_every_number_explains_itself_by_its_formula():
    plan = make_plan(question(n_annotators=30, variances=own(0.002)), LOAD)
    figures = [
        figure for table in (differences_table, dialogues_table) for line in table(plan) for figure, _ in line.cells
    ]
    assert all(figure.lines for figure in [*figures, *(fact.figure for fact in facts(plan, LOAD))])
    chosen = next(figure for line in differences_table(plan) for figure, is_chosen in line.cells if is_chosen)
    assert chosen.lines[-1] == f"7.849 × (0.0388 + 0.2927 / 3) / (0.1² − 7.849 × 0.002 / 30) ≤ {plan.n_needed}"
    found = next(figure for line in dialogues_table(plan) for figure, is_chosen in line.cells if is_chosen)
    assert found.lines[-1].startswith(f"√(7.849 × ((0.0388 + 0.2927 / 3) / {plan.n_needed} + 0.002 / 30)) = 0.09")


def test_points_are_of_a_share_or_of_a_scale():
    assert points(0.1, question()) == "10 points"
    assert points(0.01, question()) == "1 point"
    assert points(0.4, question(unit=SCALE, span=4.0)) == "0.4 scale points"


def test_a_small_pilot_is_called_rough_and_what_was_clipped_is_named():
    small = Variances(0.0, 0.3, 0.01, PILOT, n_pairs=1, n_dialogues=19, n_annotators=7, clipped=("s_between",))
    assert "rough" in doubts(small)[0]
    assert doubts(small)[1] == "Estimated below 0 and set to 0: between dialogues."
    assert not doubts(Variances(0.04, 0.3, 0.01, PILOT, n_pairs=1, n_dialogues=20, n_annotators=3))


@pytest.mark.parametrize(
    "asked", [{}, {"n_dialogues": 5000}, {"difference": 0.001}, {"ratings": 12, "variances": own(1.0)}]
)
def test_the_picture_is_well_formed_whatever_is_asked(asked):
    root = ElementTree.fromstring(curve_picture(make_plan(question(**asked), LOAD)))
    curves = [each.get("points") for each in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert len(curves) == 3
    assert root.get("role") == "img"


# --- a study's own ratings -----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def make_rated(shared) -> Callable[[], Study]:
    return shared(_make_rated)


@pytest.fixture
def rated(make_rated: Callable[[], Study], db) -> Study:
    """The reference study, as a pilot."""
    return make_rated()


def _make_rated() -> Study:
    study = load_he_study(now=NOW, slug="rated")
    study.batches.update(kind=Batch.Kind.PILOT)
    return study


def slow_components(criterion: CriterionSpec, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Mean between, within and annotator component over the pairs, by sums over single answers."""
    positive = next(option.label.lower() for option in criterion.options if option.role == "positive")
    cells: dict[str, dict] = {}
    for row in he_rows():
        if row["criterion"] == criterion.key:
            place = row["dialogue_id"], row["annotator"], row["source"]
            cells.setdefault(row["batch"], {})[place] = float(row["answer"].lower() == positive)
    return np.mean([_slow(cells, *pair) for pair in pairs], axis=0)


def _slow(cells, first: str, second: str) -> np.ndarray:
    squares, freedom, counts = np.zeros(3), np.zeros(3), np.zeros(2)
    for of_batch in cells.values():
        dialogues, people = (sorted({place[at] for place in of_batch}) for at in (0, 1))
        n, r = len(dialogues), len(people)
        d = np.array([[of_batch[i, g, first] - of_batch[i, g, second] for g in people] for i in dialogues])
        for i in range(n):
            squares[0] += r * (d[i].mean() - d.mean()) ** 2
        for g in range(r):
            squares[1] += n * (d[:, g].mean() - d.mean()) ** 2
        for i in range(n):
            for g in range(r):
                squares[2] += (d[i, g] - d[i].mean() - d[:, g].mean() + d.mean()) ** 2
        freedom += [n - 1, r - 1, (n - 1) * (r - 1)]
        counts += [(n - 1) * r, (r - 1) * n]
    dialogue, annotator, residual = squares / freedom
    per_dialogue, per_annotator = counts / freedom[:2]
    return np.array([(dialogue - residual) / per_dialogue, residual, (annotator - residual) / per_annotator])


def test_a_pilot_gives_the_variances_that_slow_sums_give(rated):
    criterion = spec_of(rated.protocol_version).by_key["appropriateness"]
    ids = dict(rated.sources.values_list("key", "pk"))
    for keys in (SOURCES[1:3], SOURCES):
        found = pilot_components(rated, criterion, PILOT, [ids[key] for key in keys])
        slow = slow_components(criterion, list(combinations(keys, 2)))
        np.testing.assert_allclose(
            (found.s_between, found.s_within, found.s_annotator), np.maximum(slow, 0), atol=1e-12
        )
        assert (found.n_dialogues, found.n_annotators) == (42, 28)
        assert found.n_pairs == len(keys) * (len(keys) - 1) // 2


def test_pilots_and_main_batches_do_not_mix(rated):
    criterion = spec_of(rated.protocol_version).by_key["listening"]
    sources = list(rated.sources.values_list("pk", flat=True))
    assert pilot_components(rated, criterion, "main", sources).reason == "too_few_items"
    rated.batches.filter(position__lt=2).update(kind=Batch.Kind.MAIN)
    halves = [pilot_components(rated, criterion, kind, sources) for kind in (PILOT, "main")]
    assert sum(half.n_dialogues for half in halves) == 42
    assert halves[0].s_within != halves[1].s_within


# --- the pages -----------------------------------------------------------------------------------------
@pytest.fixture
def watcher(client, cast: Cast):
    client.force_login(cast.observer)
    return client


def page_of(client, slug: str = "wellbeing", **query) -> str:
    return client.get(reverse("planner", args=[slug]), query).content.decode()


def document_of(client, slug: str = "wellbeing", **query) -> dict:
    return json.loads(client.get(reverse("planner_json", args=[slug]), query).content)


def test_the_first_look_has_usual_values_and_all_pairs_of_sources(watcher):
    page = page_of(watcher)
    assert "3 annotators each detect a difference of 10 points with 80 % power." in page
    found = document_of(watcher)
    assert found["question"]["n_comparisons"] == 3
    assert (found["question"]["ratings"], found["question"]["variances"]["origin"]) == (3, "defaults")
    assert (found["load"]["batch_size"], found["load"]["n_sources"]) == (2, 3)


def test_a_link_is_a_plan(watcher):
    asked = {"difference": "15", "ratings": "5", "comparisons": "1", "power": "90"}
    found = document_of(watcher, **asked)
    assert found["n_needed"] == 46
    page = page_of(watcher, **asked)
    assert "46 dialogues with 5 annotators each detect a difference of 15 points with 90 % power." in page
    assert "planner.json?criterion=appropriateness&amp;difference=15&amp;power=90" in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"difference": "0"}, "greater than or equal"),
        ({"difference": "100"}, "cannot differ by 100 or more"),
        ({"difference": "much"}, "Enter a number"),
        ({"ratings": ""}, "This field is required"),
        ({"power": "100"}, "less than or equal to 99.9"),
        ({"annotators": "2"}, "Each dialogue has 3 annotators"),
        ({"components": "guess"}, "Select a valid choice"),
        ({"criterion": "beauty"}, "Select a valid choice"),
        ({"pair": "a~b"}, "Select a valid choice"),
        ({"components": "own", "s_within": ""}, "This field is required"),
        ({"components": "own", "s_within": "0", "s_between": "0"}, "nothing to plan"),
        ({"dialogues": "1e400"}, "Enter a whole number"),
        ({"difference": "nan"}, "Enter a number"),
    ],
)
def test_an_error_stands_beside_its_field_and_changes_nothing(watcher, asked, said):
    usual, page = page_of(watcher), page_of(watcher, **asked)
    name = next(iter(asked)) if "components" not in asked or len(asked) == 1 else "s_within"
    beside = page.split(f'id="ask-{name}_error"')[1].split("</div>")[0]
    assert said in beside
    assert "Some of your entries are not valid" in page
    tell = "annotators each detect a difference of 10 points with 80 % power."
    assert page.split(tell)[0].rsplit(">", 1)[1] == usual.split(tell)[0].rsplit(">", 1)[1]
    answered = watcher.get(reverse("planner_json", args=["wellbeing"]), asked)
    assert answered.status_code == 400
    assert name in answered.json()["errors"]


def test_unknown_parts_of_the_query_are_left_alone(watcher):
    assert document_of(watcher, utm="x", csrf="y") == document_of(watcher)


def test_what_a_study_does_not_have_is_told_and_replaced(watcher):
    page = page_of(watcher, components="pilot")
    assert "This study has no such ratings yet." in page
    found = document_of(watcher, components="main")
    assert found["variances_not_from_the_study_because"] == "not_rated"
    assert found["question"]["variances"]["origin"] == "defaults"


def test_a_study_without_anything_can_be_planned(client, db):
    study = StudyFactory(slug="new", seats=60)
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = page_of(client, "new")
    assert "annotators each detect a difference of 10 points" in page
    assert "The study has" not in page
    assert document_of(client, "new")["load"]["batch_size"] == 10


def test_own_values_are_taken(watcher):
    asked = {"components": "own", "s_between": "0.1", "s_within": "0.4", "s_annotator": "0", "comparisons": "1"}
    found = document_of(watcher, **asked)
    assert found["question"]["variances"]["s_within"] == 0.4
    assert found["n_needed"] == int(np.ceil(7.84888 * (0.1 + 0.4 / 3) / 0.01))


def test_a_scale_has_its_own_points(client, db):
    study = StudyFactory(slug="scales", protocol_version=make_scale_version())
    make_batch(study, n_dialogues=4, n_sources=2)
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = page_of(client, "scales")
    assert "In scale points. The scale runs from 1 to 5." in page
    # A tenth of the scale with the usual values stretched over it is ten points of a share.
    assert "108 dialogues with 3 annotators each detect a difference of 0.4 scale points with 80 % power." in page
    assert "stretched over the scale" in page
    assert "cannot differ by 4 or more" in page_of(client, "scales", difference="10")


def test_the_pilot_of_a_study_is_offered_used_and_named(client, rated):
    client.force_login(MembershipFactory(study=rated, role="observer").user)
    assert "This study has a pilot with ratings." in page_of(client, "rated")
    page = page_of(client, "rated", components="pilot", pair="it5~geppetto")
    assert "Select a valid choice" in page  # pairs have one order
    page = page_of(client, "rated", components="pilot", pair="geppetto~it5")
    assert "From the pilot batches of this study: 42 dialogues and 28 annotators. The pair is Geppetto – It5." in page
    found = document_of(client, "rated", components="pilot")["question"]["variances"]
    assert (found["origin"], found["n_pairs"], found["n_dialogues"], found["n_annotators"]) == ("pilot", 10, 42, 28)
    assert found["s_within"] > 0


def test_annotators_who_all_say_the_same_leave_nothing_to_plan_with(client, rated):
    client.force_login(MembershipFactory(study=rated, role="observer").user)
    criterion = rated.protocol_version.criteria.get(key="listening")
    Rating.objects.filter(criterion=criterion).update(option=criterion.options.first())
    page = page_of(client, "rated", components="pilot", criterion="listening")
    assert "there is no variance to plan with" in page


def test_the_number_of_queries_does_not_grow_with_the_pilot(client, rated):
    client.force_login(MembershipFactory(study=rated, role="observer").user)
    page_of(client, "rated", components="pilot")  # the protocol's spec is kept from here on
    counts = []
    for n_batches in (4, 1):
        rated.batches.filter(position__gte=n_batches).update(kind=Batch.Kind.TRAINING)
        with CaptureQueriesContext(connection) as queries:
            page_of(client, "rated", components="pilot")
        counts.append(len(queries))
    assert counts[0] == counts[1] < 16


def test_a_protocol_that_rates_whole_dialogues_is_told_that_its_sources_must_share_scenarios(client, db):
    for slug, unit in (("wholes", "dialogue"), ("sets", "candidate_set")):
        study = StudyFactory(slug=slug, protocol_version=make_scale_version(unit=unit))
        client.force_login(MembershipFactory(study=study, role="owner").user)
        assert ("sources that share a scenario" in page_of(client, slug)) is (unit == "dialogue")
    judged = {slug: document_of(client, slug)["work"]["n_judgements"] for slug in ("sets",)}
    assert judged == {"sets": 108 * 3 * 2 * 2}


def test_a_stranger_finds_nothing(client, cast: Cast):
    client.force_login(cast.stranger)
    assert client.get(reverse("planner", args=["wellbeing"])).status_code == 404
