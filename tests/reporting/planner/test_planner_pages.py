"""The planner's pages, and the variances that it takes from a study's own ratings."""

import json
import re
from collections.abc import Callable

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Rating, Study
from measures.mixed.sources import compare_sources
from protocols.specs import spec_of
from reporting.planner.components import pilot_components
from reporting.planner.variances import PILOT
from tests.cast import Cast
from tests.factories import MembershipFactory, StudyFactory, make_batch
from tests.factories_protocols import make_scale_version
from tests.he_study import SOURCES, he_ratings, load_he_study

NOW = timezone.now()


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


def test_a_pilot_gives_the_variances_of_the_model_on_its_file(rated):
    criterion = spec_of(rated.protocol_version).by_key["appropriateness"]
    ids = dict(rated.sources.values_list("key", "pk"))
    for keys in (SOURCES[1:3], SOURCES):
        found = pilot_components(rated, criterion, PILOT, [ids[key] for key in keys])
        model = compare_sources(he_ratings(criterion.key, sources=tuple(keys)), len(keys))
        sds = {each.effect: each.sd for each in model.effects}
        wanted = [2 * sds[name] ** 2 for name in ("conversation_source", "residual", "annotator_source")]
        assert [found.s_between, found.s_within, found.s_annotator] == pytest.approx(wanted, rel=1e-6)
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
    assert re.search(r"all by the same 3 annotators, [\d.]+ hours each, detect a difference of 10 points", page)
    asked, load = (document_of(watcher)[part] for part in ("question", "load"))
    assert (asked["n_comparisons"], asked["ratings"], asked["variances"]["origin"]) == (3, 3, "defaults")
    assert (load["batch_size"], load["n_sources"]) == (2, 3)


def test_a_link_is_a_plan(watcher):
    asked = {"difference": "15", "ratings": "5", "comparisons": "1", "power": "90"}
    found = document_of(watcher, **asked)
    assert found["n_needed"] == 53
    page = page_of(watcher, **asked)
    assert re.search(r"53 dialogues, all by the same 5 annotators, [\d.]+ hours each, detect a difference", page)
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
def test_an_error_stands_beside_its_field_and_there_is_no_plan(watcher, asked, said):
    page = page_of(watcher, **asked)
    name = next(iter(asked)) if "components" not in asked or len(asked) == 1 else "s_within"
    beside = page.split(f'id="ask-{name}_error"')[1].split("</div>")[0]
    assert said in beside
    assert "There is no plan for these entries" in page
    assert "detect a difference of" not in page
    assert "Points to consider" not in page
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
    assert "all by the same 50 annotators" in page
    assert "The study has" not in page
    assert document_of(client, "new")["load"]["batch_size"] == 10


def test_own_values_are_taken(watcher):
    asked = {"components": "own", "s_between": "0.1", "s_within": "0.4", "s_annotator": "0", "comparisons": "1"}
    found = document_of(watcher, **asked)
    assert found["question"]["variances"]["s_within"] == 0.4
    assert found["n_needed_for_these_annotators"] == int(np.ceil(7.84888 * (0.1 + 0.4 / 3) / 0.01))


def test_a_scale_has_its_own_points(client, db):
    study = StudyFactory(slug="scales", protocol_version=make_scale_version())
    make_batch(study, n_dialogues=4, n_sources=2)
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = page_of(client, "scales")
    assert "In scale points. The scale runs from 1 to 5." in page
    # A tenth of the scale with the usual values stretched over it is ten points of a share.
    assert "225 dialogues, all by the same 3 annotators, " in page
    assert "detect a difference of 0.4 scale points with 80 % power." in page
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


def test_a_protocol_that_rates_whole_dialogues_is_told_what_a_dialogue_of_the_plan_is(client, db):
    for slug, unit in (("wholes", "dialogue"), ("sets", "candidate_set")):
        study = StudyFactory(slug=slug, protocol_version=make_scale_version(unit=unit))
        client.force_login(MembershipFactory(study=study, role="owner").user)
        assert ("each scenario has a dialogue of every source" in page_of(client, slug)) is (unit == "dialogue")
    assert document_of(client, "sets")["work"]["n_judgements"] == 225 * 3 * 2 * 2


def test_a_stranger_finds_nothing(client, cast: Cast):
    client.force_login(cast.stranger)
    assert client.get(reverse("planner", args=["wellbeing"])).status_code == 404
