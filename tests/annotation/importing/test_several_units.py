"""Ratings from elsewhere for a protocol that asks about each response and about the whole dialogue."""

from collections import Counter
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import ImportJob, Rating, Study
from annotation.services.batching import make_batches
from annotation.services.uploads import run_import_job
from tests.annotation.importing.conftest import NOW, Write, errors_of, load_ratings
from tests.factories import MembershipFactory
from tests.sittings import AT_THE_END, FIRST, make_conversation

pytestmark = pytest.mark.django_db
LONG = ("dialogue,annotator,criterion,value", "c-3,r1,liked,5", "c-3,r1,clear,p2", "c-3,r2,Liked,7")
WIDE = ("dialogue,annotator,Liked,clear", "c-3,r1,5,2", "c-3,r2,7,")
STORED = {
    ("dialogue", "c-3", "liked", "p5", "r1"): 1,
    ("dialogue", "c-3", "clear", "p2", "r1"): 1,
    ("dialogue", "c-3", "liked", "p7", "r2"): 1,
}


def stored(study: Study) -> Counter:
    rows = Rating.objects.filter(batch__study=study).values_list(
        "item__unit", "item__dialogue__key", "criterion__key", "option__key", "assignment__participant__pseudonym"
    )
    return Counter(rows)


@pytest.mark.parametrize("criteria", [AT_THE_END, FIRST])
@pytest.mark.parametrize("rows", [LONG, WIDE])
@pytest.mark.parametrize("is_dealt", [True, False])
def test_answers_about_whole_dialogues_name_the_dialogue(
    write: Write, criteria: list[dict[str, Any]], rows: tuple[str, ...], is_dealt: bool
) -> None:
    study = make_conversation(criteria)
    if is_dealt:
        make_batches(study, by="size", size=10, now=NOW)
    counts = load_ratings(study, write(*rows)).counts
    assert stored(study) == STORED
    assert (counts["items_new"], counts["batches_new"]) == ((0, 0) if is_dealt else (1, 1))


@pytest.mark.parametrize("second", ["c-3,gpt,r2,ignores,5,2", "c-3,,r2,,5,2"])
def test_rows_of_responses_may_have_answers_about_their_dialogue(write: Write, second: str) -> None:
    study = make_conversation(AT_THE_END)
    study.sources.update(key="gpt")
    path = write("dialogue,source,annotator,behaviours,liked,clear", "c-3,gpt,r1,-,5,2", second)
    counts = load_ratings(study, path).counts
    assert counts["ratings_new"] == sum(stored(study).values()) == 6 - second.startswith("c-3,,")
    found = {(unit, criterion) for unit, _dialogue, criterion, *_ in stored(study)}
    assert found == {("response", "behaviours"), ("dialogue", "liked"), ("dialogue", "clear")}
    places = study.batches.get().items.values_list("position", "unit")
    assert sorted(places) == [(1, "dialogue"), (1, "response")]


def test_an_answer_about_a_dialogue_may_stand_beside_each_of_its_responses(write: Write) -> None:
    study = make_conversation(AT_THE_END, n_turns=1)
    header = "dialogue,source,annotator,behaviours,liked"
    same = write(header, "c-1,gpt,r1,-,5", "c-1,llama,r1,-,5")
    counts = load_ratings(study, same, create_missing=True).counts
    assert (counts["ratings_new"], counts["ratings_unchanged"]) == (3, 0)
    again = load_ratings(study, same).counts
    assert (again["ratings_new"], again["ratings_unchanged"]) == (0, 3)
    errors = errors_of(load_ratings, study, write(header, "c-1,gpt,r2,-,5", "c-1,llama,r2,-,4"))
    assert errors == [(3, "", "repeats line 2: same annotator, item and criterion")]


def test_an_answer_about_a_response_still_names_it(write: Write) -> None:
    study = make_conversation(AT_THE_END, n_turns=1)
    study.dialogues.get().candidates.create(source=study.sources.get(), key="second", text="Another.")
    errors = errors_of(
        load_ratings,
        study,
        write("dialogue,source,annotator,criterion,value", "c-1,,r1,behaviours,ignores", "c-1,,r1,liked,5"),
    )
    assert [(line, field) for line, field, _ in errors] == [(2, "item")]


def test_the_page_the_command_and_the_api_take_them(write: Write, client: Client) -> None:
    study = make_conversation(AT_THE_END)
    client.force_login(MembershipFactory(study=study, role="owner").user)
    path = write(*LONG, name="answers.csv")
    call_command("import_ratings", study.slug, str(path))
    assert stored(study) == STORED
    more = {reverse("study_import", args=[study.slug]): b"r3", f"/api/v1/studies/{study.slug}/imports/": b"r4"}
    for place, who in more.items():
        rows = b"dialogue,annotator,liked,clear\nc-2," + who + b",5,2\n"
        client.post(place, {"kind": "ratings", "file": SimpleUploadedFile("answers.csv", rows)})
        run_import_job(ImportJob.objects.latest("pk").pk, NOW)
        assert Rating.objects.filter(assignment__participant__pseudonym=who.decode()).count() == 2
