"""Comparisons on pages, commands and API: dealt from every door, and blind in everything an annotator receives."""

import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.importing import ImportRejected
from annotation.management.commands.make_batches import Command
from annotation.models import Candidate, Item, Source, Study
from annotation.services.claiming import claim_seat
from tests.annotation.importing.conftest import load
from tests.comparing import add_dialogue, add_whole, deal, make_scenarios, make_study
from tests.factories import MembershipFactory, make_annotator

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def study() -> Study:
    return make_study(4, 3)


def owner(study):
    return client_of(MembershipFactory(study=study, role="owner").user)


# --- dealing -------------------------------------------------------------------------------------------
def test_the_page_offers_pairs_and_repetitions_and_deals_them(study: Study):
    client, place = owner(study), reverse("study_batches", args=[study.slug])
    page = client.get(place).text
    assert "Pairs per dialogue" in page
    assert "Pairs shown again" in page
    assert "Sources per dialogue" not in page
    asked = {"by": "size", "size": 4, "kind": "main", "n_pairs": 2, "repeat_percent": 25}
    assert client.post(place, asked).status_code == 302
    assert Item.objects.filter(batch__study=study, repeats=None).count() == 8
    assert Item.objects.filter(batch__study=study).exclude(repeats=None).count() == 2


def test_the_page_of_a_protocol_that_compares_nothing_offers_sources(cast):
    page = client_of(cast.owner).get(reverse("study_batches", args=[cast.study.slug])).text
    assert "Sources per dialogue" in page
    assert "Pairs per dialogue" not in page


def test_the_command_deals_pairs_and_says_why_it_cannot(study: Study, capsys):
    call_command("make_batches", study.slug, by="size", size=2, n_pairs=1, repeat_percent=50)
    assert "2 batches made" in capsys.readouterr().out
    assert Item.objects.filter(batch__study=study, repeats=None).count() == 4
    with pytest.raises(CommandError, match="not of sources"):
        call_command("make_batches", study.slug, by="size", size=2, k=1)


@pytest.mark.parametrize(("counts", "n_batches"), [("pairs", 3), ("scenarios", 4)])
def test_the_command_counts_pairs_or_scenarios(counts, n_batches, capsys):
    """Each of the four scenarios has three pairs."""
    study, size = make_scenarios(4, 3), 4 if counts == "pairs" else 1
    call_command("make_batches", study.slug, "--by", "size", "--size", str(size), "--counts", counts)
    assert f"{n_batches} batches made" in capsys.readouterr().out


def test_the_usage_of_the_command_is_one_line():
    usage = Command().create_parser("manage.py", "make_batches").format_usage()
    assert usage == "usage: manage.py make_batches study (--by WAY | --same-as PILOT) [options]; --help lists them\n"


def test_the_api_deals_pairs(study: Study):
    place = f"/api/v1/studies/{study.slug}/batches/"
    asked = {"by": "size", "size": 4, "n_pairs": 1, "repeat_percent": 100}
    made = owner(study).post(place, json.dumps(asked), content_type="application/json")
    assert made.status_code == 201, made.text
    assert [batch["n_items"] for batch in made.json()["results"]] == [4]
    assert Item.objects.filter(batch__study=study).exclude(repeats=None).count() == 4


# --- the list in the file --------------------------------------------------------------------------------
def listing(*pairs):
    candidates = [{"source": f"model-{each}", "text": f"I am {each}."} for each in "abc"]
    return {"id": "new", "history": [{"speaker": "A", "text": "Hello?"}], "candidates": candidates, "pairs": pairs}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (["model-a"], r"file:1: pairs\[0\]: must name two different sources"),
        (["model-a", "model-a"], r"pairs\[0\]: must name two different sources"),
        (
            ["model-a", "model-x"],
            r"pairs\[0\]: 'model-x' has no response to this dialogue: its sources are model-a",
        ),
    ],
)
def test_a_pair_that_cannot_be_compared_is_refused_with_its_line_and_nothing_is_stored(study, tmp_path, pair, said):
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps(listing(pair)))
    with pytest.raises(ImportRejected, match=said):
        load(study, path)
    assert study.dialogues.count() == 4


def test_listed_pairs_are_imported_and_dealt(study: Study, tmp_path):
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps(listing(["model-c", "model-a"])))
    load(study, path)
    deal(study)
    assert Item.objects.filter(dialogue__key="new").count() == 1


def whole(source, scenario="tax", **fields):
    turns = [{"speaker": "User", "text": "Is a bicycle deductible?"}, {"speaker": "Bot", "text": f"Ask {source}."}]
    return {"id": f"{source}-{scenario}", "source": source, "scenario": scenario, "utterances": turns} | fields


def test_pairs_that_a_whole_dialogue_lists_are_imported_and_dealt_once_all_of_them_are_there(study: Study, tmp_path):
    path = tmp_path / "dialogues.jsonl"
    pairs = [["me", "model-a"], ["model-b", "me"]]
    path.write_text("\n".join(json.dumps(whole(each, pairs=pairs)) for each in ("me", "model-a")))
    load(study, path)
    place, client = reverse("study_batches", args=[study.slug]), owner(study)
    refused = client.post(place, {"by": "size", "size": 9, "kind": "main"})
    assert refused.status_code == 422
    assert "1 scenario lists a pair of sources without a dialogue of both: tax." in refused.text
    path.write_text(json.dumps(whole("model-b")))
    load(study, path)
    deal(study)
    assert Item.objects.filter(other_dialogue__scenario="tax").count() == 2


def test_a_pair_of_a_whole_dialogue_names_two_sources(study: Study, tmp_path):
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps(whole("me", pairs=[["me", "me"]])))
    with pytest.raises(ImportRejected, match=r"file:1: pairs\[0\]: must name two different sources"):
        load(study, path)


def test_every_door_says_that_a_scenario_has_one_source(study: Study, tmp_path):
    path = tmp_path / "dialogues.jsonl"
    path.write_text("\n".join(json.dumps(whole("me", scenario)) for scenario in ("tax", "tea")))
    load(study, path)
    said = "2 scenarios have a dialogue of only one, for example tax, tea."
    with pytest.raises(CommandError, match=said):
        call_command("make_batches", study.slug, by="size", size=2)
    place = f"/api/v1/studies/{study.slug}/batches/"
    made = owner(study).post(place, json.dumps({"by": "size", "size": 4}), content_type="application/json")
    assert made.status_code == 409, made.text
    assert said in made.text
    assert not study.batches.exists()


# --- blind ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("is_whole", [False, True], ids=["responses", "dialogues"])
def test_nothing_an_annotator_receives_names_a_source_or_tells_the_sides(study: Study, is_whole):
    Source.objects.filter(key="model-a").update(name="Zebra-7B", key="zebra")
    add_dialogue(study, study.sources.all(), "listed", 9, metadata={"pairs": [["zebra", "model-b"]]})
    if is_whole:
        study.dialogues.all().delete()
        for number in range(5):
            for source in study.sources.all():
                add_whole(study, source, number, metadata={"pairs": [["zebra", "model-b"], ["zebra", "model-c"]]})
    (batch,) = deal(study, repeat_percent=50)
    annotator = make_annotator(study, "anna")
    work = claim_seat(annotator, batch, now=NOW)
    client = client_of(annotator.user)
    places = sorted(set(batch.items.values_list("position", flat=True)))
    pages = [client.get(reverse("rate", args=[work.token, place, 1])).text for place in places]
    pages += [client.get(reverse("rate_dialogue", args=[work.token, place])).text for place in places]
    pages += [client.get(reverse(name, args=[work.token])).text for name in ("work_items", "item_list", "submit")]
    hidden = re.compile(r"zebra|model-[a-c]|Model [A-C]|swapped|mirror|repeat|is_check|w\d-|scenario", re.IGNORECASE)
    assert len(pages) > 12
    for page in pages:
        assert hidden.findall(page) == []


def test_the_order_of_pairs_on_screen_and_their_sides_follow_neither_sources_nor_ids(study: Study):
    (batch,) = deal(study)
    orders, lefts = set(), set()
    for number in range(3):
        work = claim_seat(make_annotator(study, f"p{number}"), batch, now=NOW)
        page = client_of(work.participant.user).get(reverse("rate_dialogue", args=[work.token, 1])).text
        tokens = re.findall(r'data-judged="([^"]+)"', page)
        orders.add(tuple(tokens))
        lefts.add(tuple(sorted(set(work.swapped))))
    assert len(orders) > 1
    assert len(lefts) > 1


def test_the_result_of_making_batches_says_which_pairs_nobody_sees(client):
    study = make_study(2, 3, slug="pairs-made")
    Candidate.objects.filter(dialogue__key="d1", source__key__in=["model-b", "model-c"]).update(text="The same.")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    said = client.post(
        reverse("study_batches", args=["pairs-made"]), {"by": "size", "size": 10, "kind": "main"}, follow=True
    ).content.decode()
    assert "1 batch has been made. Open it when you are ready. 1 pair has identical texts: it counts as a tie" in said
    other = make_study(2, 2, slug="pairs-shown")
    printed = StringIO()
    call_command("make_batches", other.slug, "--by", "size", "--size", "10", stdout=printed)
    assert "identical" not in printed.getvalue()
