"""Preferences about whole dialogues: a file names the scenario, two sources, and which of them won."""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Dialogue, Item, Rating, Study
from annotation.services.claiming import claim_seat
from tests.annotation.importing.conftest import Write, builtin, errors_of, load_ratings
from tests.comparing import add_whole, deal, make_scenarios
from tests.factories import MembershipFactory, make_annotator

pytestmark = pytest.mark.django_db
HEADER = "scenario,left,right,winner,annotator"
ROWS = ("s0,model-a,model-b,left,r1", "s0,model-b,model-a,left,r2", "s1,model-c,model-a,tie,r1")


def stored(study: Study) -> Counter:
    """Who prefers what, by the sources in the order that is stored."""
    found: Counter = Counter()
    for rating in Rating.objects.filter(item__batch__study=study):
        item = rating.item
        pair = item.dialogue.source.key[-1] + item.other_dialogue.source.key[-1]
        found[item.dialogue.scenario, pair, rating.option.key, rating.assignment.participant.pseudonym] += 1
    return found


STORED = {("s0", "ab", "left", "r1"): 1, ("s0", "ab", "right", "r2"): 1, ("s1", "ac", "equal", "r1"): 1}


def test_preferences_go_to_the_pairs_that_were_dealt(write: Write) -> None:
    study = make_scenarios(2, 3)
    (batch,) = deal(study, repeat_percent=50)
    claim_seat(make_annotator(study, "anna"), batch, now=batch.created_at)
    before = Dialogue.objects.count(), Item.objects.count()
    summary = load_ratings(study, write(HEADER, *ROWS), create_missing=True)
    assert (summary.counts["dialogues_new"], summary.counts["items_new"], summary.counts["batches_new"]) == (0, 0, 0)
    assert (Dialogue.objects.count(), Item.objects.count()) == before
    assert stored(study) == STORED
    assert not Rating.objects.filter(item__is_check=True).exists()
    again = load_ratings(study, write(HEADER, *ROWS))
    assert (again.counts["ratings_new"], again.counts["ratings_unchanged"]) == (0, 3)


def test_pairs_that_were_not_dealt_get_a_screen_each(write: Write) -> None:
    study = make_scenarios(2, 3)
    summary = load_ratings(study, write(HEADER, *ROWS))
    assert (summary.counts["items_new"], summary.counts["batches_new"], summary.counts["dialogues_new"]) == (2, 1, 0)
    assert stored(study) == STORED
    batch = study.batches.get()
    assert (batch.n_items, list(batch.items.order_by("position").values_list("position", flat=True))) == (2, [1, 2])


def test_each_question_of_the_shipped_protocol_may_have_a_column(write: Write) -> None:
    version = builtin("acute-eval-1.0-dialogues")
    study = make_scenarios(1, 2, version=version)
    deal(study)
    keys = [criterion.key for criterion in version.criteria.order_by("position")]
    header = ",".join(["scenario_id", "model_a", "model_b", "annotator", *keys])
    load_ratings(study, write(header, "s0,model-b,model-a,r1,left,right,model-b,model_b"))
    found = dict(Rating.objects.values_list("criterion__key", "option__role"))
    assert found == dict(zip(keys, ("right", "left", "right", "left"), strict=True))


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        (
            "s9,model-a,model-b,left,r1",
            "scenario",
            "'s9' is not a scenario of the study: import its dialogues first, with this scenario",
        ),
        (
            "s0,model-a,model-x,left,r1",
            "right",
            "'model-x' has no dialogue in the scenario 's0': import its dialogues first, with this scenario",
        ),
        (
            "s1,model-b,model-a,left,r1",
            "left",
            "the scenario 's1' has several dialogues from 'model-b', so it is not known which is compared: give them "
            "scenarios of their own",
        ),
        (",model-a,model-b,left,r1", "scenario", "is empty: name the scenario whose dialogues are compared"),
    ],
)
def test_a_pair_that_is_not_clear_is_refused_with_line_and_field(
    write: Write, row: str, field: str, reason: str
) -> None:
    study = make_scenarios(2, 3)
    add_whole(study, study.sources.get(key="model-b"), 1, key="twice", conversation="twice")
    n_dialogues = Dialogue.objects.count()
    errors = errors_of(load_ratings, study, write(HEADER, ROWS[0], row), create_missing=True)
    assert errors == [(3, field, reason)]
    assert (Rating.objects.count(), Dialogue.objects.count()) == (0, n_dialogues)


@pytest.mark.parametrize(
    "header", ["dialogue,left,right,winner,annotator", "dialogue,scenario,left,right,winner,annotator"]
)
def test_a_scenario_in_the_column_of_dialogues_makes_no_dialogues_without_text(write: Write, header: str) -> None:
    study = make_scenarios(1, 2)
    row = "s0,model-a,model-b,left,r1" if "scenario" not in header else "x,s0,model-a,model-b,left,r1"
    ((line, field, reason),) = errors_of(load_ratings, study, write(header, row), create_missing=True)
    assert (line, field) == (2, "dialogue")
    assert reason == (
        "is not in the study, but the scenario 's0' is, whose whole dialogues are compared: name the column with "
        "--map scenario=COLUMN,dialogue=-"
    )


def test_a_file_with_neither_says_how_to_name_them(write: Write) -> None:
    errors = errors_of(load_ratings, make_scenarios(1, 2), write("task,left,right,winner,annotator", "s0,a,b,left,r1"))
    ((line, field, reason),) = errors
    assert (line, field) == (1, "dialogue")
    assert reason.endswith("; if whole dialogues are compared, name the column with --map scenario=COLUMN")


def test_the_page_and_the_command_find_the_pair_too(write: Write, client: Client) -> None:
    study = make_scenarios(2, 3, slug="sides")
    deal(study)
    call_command(
        "import_ratings", "sides", str(write(HEADER.replace("scenario", "task"), *ROWS)), map=["scenario=task"]
    )
    assert stored(study) == STORED
    client.force_login(MembershipFactory(study=study, role="owner").user)
    path = Path(write(HEADER, "s0,model-a,model-c,right,r3", "s7,model-a,model-c,right,r3"))
    data = {"kind": "ratings", "file": SimpleUploadedFile("p.csv", path.read_bytes())}
    page = client.post(reverse("study_import_preview", args=["sides"]), data).content.decode()
    said = " ".join(re.sub("<[^>]+>", " ", page).replace("&#x27;", "'").split())
    assert "Line 3, scenario: 's7' is not a scenario of the study: import its dialogues first" in said
