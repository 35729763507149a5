"""A batch that shows exactly what an earlier pilot showed: by the service, the page, the command and the API."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Study
from annotation.selectors.pilots import pilots_to_repeat
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.refusals import Refused
from annotation.services.repeating import repeat_pilot
from tests.api import Api, error
from tests.factories import (
    CandidateFactory,
    MembershipFactory,
    RatingFactory,
    StudyFactory,
    make_annotator,
    make_batch,
)
from tests.factories_protocols import make_he_version
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SIZE = {"by": "size", "size": "5"}


@pytest.fixture
def study() -> Study:
    """A pilot of 2 of 3 sources of 4 dialogues, out of 9 dialogues."""
    study = StudyFactory(slug="he")
    make_batch(study, 9, key="main-1").items.all().delete()
    make_batches(study, by="size", size=4, n_dialogues=4, k=2, kind="pilot", seats=6, now=NOW)
    return study


def shown_in(batch: Batch) -> list[tuple[Any, ...]]:
    return list(batch.items.order_by("pk").values_list("unit", "dialogue", "candidate", "source", "shown", "position"))


def pilot(study: Study) -> Batch:
    return study.batches.get(key="pilot-1")


@pytest.fixture
def owner(study: Study, client: Client) -> Client:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client


def post(client: Client, **form: str) -> str:
    return client.post(reverse("study_batches", args=["he"]), SIZE | form, follow=True).content.decode()


@pytest.mark.parametrize(("kind", "key"), [("pilot", "pilot-2"), ("qualification", "qualification-1")])
def test_the_items_are_those_of_the_pilot_in_its_order(study: Study, kind: str, key: str):
    batch = repeat_pilot(study, pilot="pilot-1", kind=kind, now=NOW)
    assert (batch.key, batch.kind, batch.status, batch.n_items) == (key, kind, "draft", 8)
    assert shown_in(batch) == shown_in(pilot(study))
    assert batch.seats.count() == 6
    assert repeat_pilot(study, pilot="pilot-1", kind=kind, seats=2, now=NOW).seats.count() == 2


def test_main_work_and_training_repeat_nothing(study: Study):
    for kind in ("main", "training"):
        with pytest.raises(Refused, match="Only a pilot or qualification batch can repeat an earlier pilot"):
            repeat_pilot(study, pilot="pilot-1", kind=kind, now=NOW)
    with pytest.raises(Refused, match="has no pilot named 'main-1'"):
        repeat_pilot(study, pilot="main-1", kind="pilot", now=NOW)


def test_a_pilot_of_other_units_than_the_protocol_rates_is_refused(study: Study):
    kept = pilot(study).items.first()
    pilot(study).items.exclude(pk=kept.pk).delete()
    pilot(study).items.update(unit="dialogue", candidate=None, source=None)
    with pytest.raises(Refused, match="no longer rates what pilot-1 shows"):
        repeat_pilot(study, pilot="pilot-1", kind="pilot", now=NOW)


def test_a_member_of_the_panel_rates_both_pilots(study: Study):
    repeat_pilot(study, pilot="pilot-1", kind="pilot", now=NOW)
    study.batches.filter(kind="pilot").update(status="open")
    member = make_annotator(study, "ada", panel="expert", status="pending")
    for batch in study.batches.filter(kind="pilot").order_by("position"):
        work = claim_seat(member, batch, now=NOW)
        rate_everything(work, now=NOW)
        submit_assignment(work, feedback="", now=NOW)
    assert member.assignments.filter(status="submitted").count() == 2


# --- how a pilot differs from today ------------------------------------------------------------------
def test_a_pilot_says_how_many_dialogues_it_has_and_what_it_does_not_show(study: Study):
    (found,) = pilots_to_repeat(study)
    assert (found.key, found.n_items, found.n_dialogues) == ("pilot-1", 8, 4)
    assert found.notes == ("Its dialogues have 4 responses that this pilot does not show.",)
    CandidateFactory(dialogue=pilot(study).items.first().dialogue)
    assert pilots_to_repeat(study)[0].notes == ("Its dialogues have 5 responses that this pilot does not show.",)


def test_a_pilot_rated_with_another_version_of_the_protocol_says_so(study: Study):
    batch = pilot(study)
    other = make_he_version(version="0.9")
    RatingFactory(
        assignment__batch=batch, item=batch.items.first(), criterion=other.criteria.first(),
        option=other.criteria.first().options.first(),
    )  # fmt: skip
    now = study.protocol_version.version
    said = f"It was rated with version 0.9 of the protocol. The study now follows version {now}."
    assert said in pilots_to_repeat(study)[0].notes


def test_the_number_of_queries_does_not_grow_with_the_pilots(study: Study, django_assert_num_queries):
    for _again in range(3):
        repeat_pilot(study, pilot="pilot-1", kind="pilot", now=NOW)
    with django_assert_num_queries(3):
        assert len(pilots_to_repeat(study)) == 4


# --- the page ----------------------------------------------------------------------------------------
def test_a_second_pilot_and_the_qualification_take_the_dialogues_of_the_pilot_by_default(study: Study, owner: Client):
    for kind, key in (("pilot", "pilot-2"), ("qualification", "qualification-1")):
        assert f"{key} has been made. It shows the same as pilot-" in post(owner, kind=kind)
        assert shown_in(study.batches.get(key=key)) == shown_in(pilot(study))


def test_the_pilot_to_repeat_is_chosen(study: Study, owner: Client):
    assert "1 batch has been made" in post(owner, kind="pilot", takes_others="on", n_dialogues="9")
    assert shown_in(study.batches.get(key="pilot-2")) != shown_in(pilot(study))
    assert "It shows the same as pilot-1" in post(owner, kind="pilot", same_as="pilot-1")
    assert shown_in(study.batches.get(key="pilot-3")) == shown_in(pilot(study))


def test_other_dialogues_are_taken_when_that_is_ticked(study: Study, owner: Client):
    assert "1 batch has been made" in post(owner, kind="qualification", takes_others="on", is_fresh_only="on")
    dealt = set(study.batches.get(key="qualification-1").items.values_list("dialogue", flat=True))
    assert len(dealt) == 5
    assert not dealt & set(pilot(study).items.values_list("dialogue", flat=True))


def test_main_batches_are_dealt_as_before(study: Study, owner: Client):
    assert "2 batches have been made" in post(owner, kind="main")


def test_the_page_names_the_pilots_and_what_differs(study: Study, owner: Client):
    page = owner.get(reverse("study_batches", args=["he"]), {"kind": "qualification"}).content.decode()
    assert "pilot-1 (4 dialogues)" in page
    assert "Its dialogues have 4 responses that this pilot does not show." in page
    assert '<option value="qualification" selected>' in page


# --- programs ----------------------------------------------------------------------------------------
def test_the_command_repeats_a_pilot(study: Study):
    out = io.StringIO()
    call_command("make_batches", "he", "--same-as", "pilot-1", "--kind", "qualification", "--seats", "4", stdout=out)
    assert "qualification-1: 8 items" in out.getvalue()
    assert shown_in(study.batches.get(key="qualification-1")) == shown_in(pilot(study))


def test_the_command_refuses_what_a_repetition_would_ignore(study: Study):
    said = "The batch shows exactly what the pilot shows: leave out --size, --counts and --fresh-only."
    ignored = ("--size", "3", "--counts", "dialogues", "--fresh-only")
    with pytest.raises(CommandError, match=said):
        call_command("make_batches", "he", "--same-as", "pilot-1", "--kind", "pilot", *ignored)
    assert not study.batches.filter(key="pilot-2").exists()


def test_the_api_refuses_what_a_repetition_would_ignore(study: Study):
    api = Api(MembershipFactory(study=study, role="owner").user)
    repeated = {"same_as": "pilot-1", "kind": "pilot"}
    answer = api.ask("POST", "api_batches", "he", data=repeated | {"by": "size", "size": 3})
    said = ["The batch shows exactly what the pilot shows: leave out by and size."]
    assert (answer.status_code, error(answer)["fields"]) == (400, {"by": said, "size": said})
    assert not study.batches.filter(key="pilot-2").exists()
    assert api.ask("POST", "api_batches", "he", data=repeated | {"k": None, "is_fresh_only": False}).status_code == 201


def test_the_api_repeats_a_pilot(study: Study):
    api = Api(MembershipFactory(study=study, role="owner").user)
    answer = api.ask("POST", "api_batches", "he", data={"same_as": "pilot-1", "kind": "pilot"})
    assert answer.status_code == 201, answer.content
    assert [each["key"] for each in answer.json()["results"]] == ["pilot-2"]
    assert shown_in(study.batches.get(key="pilot-2")) == shown_in(pilot(study))
