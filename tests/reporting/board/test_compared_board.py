"""The live board of a study that compares: what it says about agreement and pace."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from tests.annotation.importing.conftest import load_ratings
from tests.clock import NOW
from tests.comparing import deal, make_scenarios, make_study, press
from tests.factories import MembershipFactory, make_annotator

pytestmark = pytest.mark.django_db


def board_of(study: Study) -> str:
    sweep(now=NOW)
    client = Client()
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client.get(reverse("board", args=[study.slug])).content.decode()


def test_agreement_without_two_answers_to_a_pair_is_said_so():
    study = make_study(2, 2)
    (batch,) = deal(study)
    work = claim_seat(make_annotator(study, "anna"), batch, now=NOW)
    press(work, batch.items.first(), "2")
    assert "Agreement: no pair has two answers yet." in board_of(study)


def test_answers_that_are_all_the_same_are_said_so():
    study = make_study(2, 2)
    (batch,) = deal(study)
    for name in ("anna", "ben"):
        work = claim_seat(make_annotator(study, name), batch, now=NOW)
        for item in batch.items.all():
            press(work, item, "3")
    assert "because all answers on pairs with two or more are the same" in board_of(study)


def test_imported_answers_are_no_part_of_the_pace(tmp_path):
    study = make_scenarios(2, 2)
    (path := tmp_path / "preferences.csv").write_text(
        "scenario,left,right,winner,annotator\ns0,model-a,model-b,left,r1\ns1,model-b,model-a,left,r1\n"
    )
    load_ratings(study, path)
    assert "Finish at this pace" not in board_of(study)
    total = study.snapshots.get(batch=None)
    assert (total.n_ratings, total.hours) == (2, {})
