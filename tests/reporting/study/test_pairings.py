"""Answers to comparisons on the board and in the report: by candidate, by side, and the same from every door."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import AgreementCell, Rating, Study
from annotation.services.agreement import rebuild_study, refresh_batch
from annotation.services.claiming import claim_seat
from measures.intervals import wilson
from protocols.services import store_bundle
from reporting.report.build import build_report, plain_report
from reporting.report.downloads import as_csv
from tests.comparing import COMPARED, deal, make_compared, make_compared_dialogues, make_study, press, sides_of
from tests.factories import MembershipFactory, make_annotator

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(params=[make_compared, make_compared_dialogues], ids=["responses", "dialogues"])
def compared(request):
    return request.param()


def by_hand(study):
    """The preferences by side, and the repetitions, counted from the rows."""
    sides, same = {"left": 0, "right": 0}, [0, 0, 0]
    ratings = {(each.assignment_id, each.item_id): each for each in Rating.objects.select_related("option", "item")}
    for rating in ratings.values():
        role = rating.option.role
        if role in sides and not rating.item.is_check:
            sides[{"left": "right", "right": "left"}[role] if rating.is_swapped else role] += 1
        if rating.item.repeats_id:
            before = ratings[rating.assignment_id, rating.item.repeats_id]
            swapped = {"left": "right", "right": "left"}.get(before.option.key)
            same[0] += 1
            same[1] += before.option.key == rating.option.key
            same[2] += swapped == rating.option.key
    return sides, same


def test_the_report_counts_answers_by_candidate_sides_and_repetitions(compared):
    report = build_report(compared, now=NOW)
    rows = {(row.source_a, row.source_b): row for row in report.pairings}
    assert list(rows) == [("model-a", "model-b"), ("model-a", "model-c"), ("model-b", "model-c")]
    for pair in (("model-a", "model-b"), ("model-a", "model-c")):
        assert (rows[pair].prefers_a, rows[pair].prefers_b, rows[pair].equal, rows[pair].answers) == (9, 0, 0, 9)
        assert rows[pair].identical == 0
    last = rows["model-b", "model-c"]
    assert (last.prefers_a + last.prefers_b, last.equal, last.answers, last.identical) == (4, 2, 6, 1)
    sides, (repeated, same, by_side) = by_hand(compared)
    (bias,) = report.side_bias
    assert (bias.left, bias.right, bias.unknown) == (sides["left"], sides["right"], 0)
    assert bias.left + bias.right == 22
    interval = wilson(bias.left, 22)
    assert (bias.left_share.value, bias.left_share.low) == (bias.left / 22, interval.low)
    assert (bias.repeated, bias.same_candidate, bias.same_side) == (repeated, same, by_side)
    assert repeated == 12
    assert report.n_ratings == 24
    assert "A is the first source of a pair" in report.rules["pairings"]


def test_other_tables_say_which_candidate_a_side_stands_for(compared):
    rows = build_report(compared, now=NOW).distributions
    assert [(row.source_a, row.source_b) for row in rows] == [
        ("model-a", "model-b"), ("model-a", "model-c"), ("model-b", "model-c"),
    ]  # fmt: skip
    votes = [{option.label: option.votes for option in row.options} for row in rows]
    assert votes[0]["A: Better on the left / Better on the right"] == 9
    assert sum(each["Both are equal"] for each in votes) == 2


def test_distributions_and_agreement_do_not_add_up_several_pairs(compared, client: Client):
    client.force_login(MembershipFactory(study=compared, role="owner").user)
    page = client.get(reverse("report", args=[compared.slug])).text
    table = page.split('aria-label="Table of distributions"')[1].split("</table>")[0]
    assert "All pairs" not in table
    assert all(f"Model {a} and Model {b}" in table for a, b in ("AB", "AC", "BC"))
    assert "Mean over the sources" not in page


def test_answers_about_several_pairs_are_not_added_up(compared, client: Client):
    report = build_report(compared, now=NOW)
    assert (report.votes, report.final_labels) == ([], [])
    assert report.rules["several_pairs"].startswith("Answers about several pairs of sources are left out of the tables")
    client.force_login(MembershipFactory(study=compared, role="owner").user)
    page = client.get(reverse("report", args=[compared.slug])).text
    assert 'id="t-votes"' not in page
    assert 'id="t-final-labels"' not in page
    pairs = page.split('id="t-pairings"')[1].split("</section>")[0]
    assert "the first source of one pair is not that of another, so their sum means nothing." in pairs


@pytest.fixture
def of_two() -> Study:
    """Two people over two pairs of two sources: both prefer the first, on whichever side it stands."""
    options = [{"key": side, "label": f"Speaker {at}", "role": side} for at, side in ((1, "left"), (2, "right"))]
    asked = COMPARED["criteria"][0] | {"options": options, "examples": []}
    study = make_study(2, 2, version=store_bundle(COMPARED | {"criteria": [asked]}, publish=True, now=NOW)[0])
    (batch,) = deal(study)
    for name in ("ann", "bob"):
        work = claim_seat(make_annotator(study, name), batch, now=NOW)
        sides = sides_of(work)
        for item in batch.items.all():
            code = "1" if sides[item.pk][0] == study.sources.get(key="model-a").pk else "2"
            press(work, item, code)
    refresh_batch(batch.pk, now=NOW)
    return study


def test_votes_and_final_labels_of_two_sources_have_their_names(of_two: Study, client: Client):
    votes, labels = sections(of_two, client)
    assert "Model A:\u00a04, Model B:\u00a00" in votes
    assert "Model A:\u00a02\u00a0(100.00\u00a0%); Model B:\u00a00" in labels
    for section in (votes, labels):
        assert "Speaker 1" not in section
        assert "first source of a pair" not in section


def sections(study: Study, client: Client) -> list[str]:
    """The words of the tables of all votes and of final labels."""
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.get(reverse("report", args=[study.slug])).text
    tables = [page.split(f'id="{name}"')[1].split("</section>")[0] for name in ("t-votes", "t-final-labels")]
    return [re.sub(r" +", " ", re.sub(r"<[^>]*>", "", table)) for table in tables]


def test_downloads_have_both_tables(compared):
    report = build_report(compared, now=NOW)
    assert as_csv(report, "pairings").splitlines()[:2] == [
        "criterion,source_a,source_b,prefers_a,prefers_b,equal,both_bad,other,answers,identical",
        "better,model-a,model-b,9,0,0,0,0,9,0",
    ]
    head = as_csv(report, "side_bias").splitlines()[0]
    assert head.startswith("criterion,left,right,unknown,left_share,left_share_low,left_share_high,repeated,")
    assert json.loads(json.dumps(plain_report(report)))["side_bias"][0]["repeated"] == 12


def test_the_counts_rebuilt_from_the_ratings_are_those_that_were_kept(compared):
    cells = AgreementCell.objects.filter(snapshot__batch=None)
    before = list(cells.values_list("criterion", "source", "pairings", "histogram"))
    rebuild_study(compared, now=NOW)
    assert list(cells.values_list("criterion", "source", "pairings", "histogram")) == before
    assert before[0][2]


def test_an_answer_that_is_changed_moves_from_one_count_to_another(compared):
    rating = Rating.objects.filter(option__key="equal").first()
    press(rating.assignment, rating.item, "6")
    refresh_batch(rating.batch_id, now=NOW)
    row = next(row for row in build_report(compared, now=NOW).pairings if row.source_b == "model-c" and row.both_bad)
    assert (row.equal, row.both_bad) == (1, 1)


def test_the_board_and_the_report_show_answers_agreement_and_sides(compared):
    client = Client()
    client.force_login(MembershipFactory(study=compared, role="owner").user)
    board = client.get(reverse("board", args=[compared.slug])).text
    assert "Model A and Model B" in board
    assert "the left one is preferred in" in board
    assert "Krippendorff&#x27;s alpha" in board
    assert "Pairs shown again with the sides swapped: 12" in board
    assert "Pairs of sources" in board
    assert "ranking" in board
    report = client.get(reverse("report", args=[compared.slug])).text
    assert "Comparisons of pairs" in report
    assert "Identical texts, not shown" in report


def test_preferences_with_unknown_sides_are_not_said_to_be_missing(compared, client: Client):
    Rating.objects.update(is_swapped=None)
    rebuild_study(compared, now=NOW)
    client.force_login(MembershipFactory(study=compared, role="owner").user)
    for name in ("board", "report"):
        page = client.get(reverse(name, args=[compared.slug])).text
        assert "nobody has preferred one yet" not in page
        assert "nobody knows which response stood on the left" in page
        assert "because the files of these preferences do not say it" in page
        assert "Preferences without known sides: 22" in page
        assert "imported without their sides" not in page


def test_only_answers_given_in_parley_are_said_to_have_drawn_sides(compared, client: Client):
    client.force_login(MembershipFactory(study=compared, role="owner").user)
    drawn, not_kept = (
        "was drawn for each annotator",
        "The sides of imported preferences are not known where their file does not say",
    )
    page = client.get(reverse("report", args=[compared.slug])).text
    assert (drawn in page, not_kept in page) == (True, False)
    Rating.objects.filter(assignment=Rating.objects.first().assignment).update(is_swapped=None)
    rebuild_study(compared, now=NOW)
    page = client.get(reverse("report", args=[compared.slug])).text
    assert (drawn in page, not_kept in page) == (True, True)
    Rating.objects.update(is_swapped=None)
    rebuild_study(compared, now=NOW)
    page = client.get(reverse("report", args=[compared.slug])).text
    assert (drawn in page, not_kept in page) == (False, True)


def test_none_of_the_answers_is_among_the_others(compared, client: Client):
    none = Rating.objects.filter(option__key="equal", item__is_check=False).order_by("pk").first()
    Rating.objects.filter(pk=none.pk).update(option=None)
    rebuild_study(compared, now=NOW)
    report = build_report(compared, now=NOW)
    assert sum(row.answers for row in report.pairings) == report.n_ratings == 24
    assert sum(row.other for row in report.pairings) == 1
    assert report.rankings[0].model.other == 1
    client.force_login(MembershipFactory(study=compared, role="owner").user)
    page = client.get(reverse("report", args=[compared.slug])).text
    assert "unsure, other or no answer: 1" in page
