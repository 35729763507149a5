"""The live board: what it shows to whom, and that every number explains itself."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import measures.cohen
import measures.estimate
import measures.intervals
import measures.labels
from annotation.models import AgreementCell, Batch, Seat
from annotation.selectors.cells import measure_batch
from annotation.services.agreement import refresh_batch, sweep
from annotation.services.claiming import claim_seat, expire_leases, submit_assignment
from measures.agreement import fleiss_kappa
from measures.histograms import Histogram, total
from parley.numbers import number
from protocols.bundles import load_bundle
from protocols.models import ProtocolVersion
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from protocols.specs import spec_of
from reporting.board.page import board_page
from reporting.board.rows import BATCHES, board_data, choice_of
from reporting.board.tables import agreement_table, largest_share
from reporting.explained import INTERVAL_NOTES, STATISTICS, WARNINGS, explained, interval_lines, missing
from reporting.labels import REASONS, reason_sentence
from tests.cast import Cast
from tests.factories import MembershipFactory, StudyFactory, make_batch
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, make_scale_version, publish
from tests.he_study import expected
from tests.reporting.board.pages import NOW, board_url, fragment_url, rate, signed_in
from tests.working import rate_everything

pytestmark = pytest.mark.django_db


def figures(html: str) -> list[str]:
    """Those of the table of agreement."""
    html = html.partition('board-agreement"')[2].partition("</table>")[0]
    return re.findall(r'<button[^>]*class="figure[^>]*>([^<]*)</button>', html)


# --- who may look --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["owner", "researcher", "lead", "controller", "observer"])
def test_everybody_with_the_right_to_watch_sees_the_board(cast: Cast, name: str):
    client = signed_in(getattr(cast, name))
    assert client.get(board_url(cast)).status_code == 200
    assert client.get(fragment_url(cast)).status_code == 200


def test_an_annotator_is_refused_and_sees_no_figure(cast: Cast):
    rate(cast, 0, 1)
    client = signed_in(cast.annotator.user)
    for url in (board_url(cast), fragment_url(cast)):
        response = client.get(url)
        assert response.status_code == 403
        assert not figures(response.content.decode())


def test_a_stranger_cannot_tell_the_board_from_a_missing_one(cast: Cast):
    client = signed_in(cast.stranger)
    assert client.get(board_url(cast)).status_code == 404
    assert client.get(fragment_url(cast)).status_code == 404


def test_who_is_not_signed_in_is_sent_to_sign_in_from_the_page_and_gets_nothing_from_the_fragment(cast: Cast):
    assert Client().get(board_url(cast)).status_code == 302
    assert Client().get(fragment_url(cast)).status_code == 404


def test_the_board_cannot_be_written_to(cast: Cast):
    client = signed_in(cast.owner)
    assert {client.post(board_url(cast)).status_code, client.post(fragment_url(cast)).status_code} == {405}


# --- what is shown ---------------------------------------------------------------------------------------
def test_the_board_shows_the_kappas_of_the_published_simulation(measured_he_study):
    data = board_data(measured_he_study, {})
    table = {(group.label, row.label): row for group in agreement_table(data).groups for row in group.rows}
    names = {source.key: source.name for source in data.sources}
    for name, kappas in expected()["fleiss_per_batch"].items():
        source, criterion = name.split("/")
        row = table[data.spec.by_key[criterion].name, names[source]]
        assert [part.text for _, part in row.parts] == [number(kappa) for kappa in kappas]
    together = table["Together", "All criteria and sources"]
    pooled = expected()["fleiss_batch_pooled_all_sources_criteria"].values()
    assert [part.text for _, part in together.parts] == [number(kappa) for kappa in pooled]


def test_the_pairs_of_a_batch_are_those_of_the_published_simulation(measured_he_study):
    pairs = board_page(measured_he_study, {"batch": "2"})["pairs"]
    found = {f"{pair.first}-{pair.second}": pair.value for pair in pairs.pairs}
    assert found == pytest.approx(expected()["cohen_pairs_pooled"]["batch2"], abs=1e-6)
    assert {pair.n_items for pair in pairs.pairs} == {220}


def test_the_study_column_is_kappa_of_all_items_and_the_mean_is_beside_it(cast: Cast):
    rate(cast, 0, 0, 1)
    rate(cast, 0, 1, 1, batch=make_batch(cast.study, key="other", position=1))
    spec = spec_of(cast.version)
    criterion = spec.criteria[0]
    batches = Batch.objects.filter(study=cast.study).select_related("study__protocol_version")
    parts = [measure_batch(batch).cells for batch in batches]
    source = cast.study.sources.first()
    cells = [part[criterion.id, source.pk].histogram for part in parts]
    row = agreement_table(board_data(cast.study, {"criterion": criterion.key})).groups[1].rows[0]
    assert row.pooled.text == number(fleiss_kappa(total(cells, 3)).value)
    kappas = [fleiss_kappa(cell).value for cell in cells]
    assert row.mean.text == f"{number(sum(kappas) / 2)} ± {number(0.0)}"
    assert "2 batches used, 0 left out" in row.mean.why


def test_a_number_explains_itself_definition_counts_interval_word_and_warning(measured_he_study):
    table = agreement_table(board_data(measured_he_study, {}))
    fair = table.groups[1].rows[1].pooled
    assert fair.lines[0].startswith("Fleiss' kappa 0.29, fair.")
    assert "42 items used, 0 left out" in fair.why
    assert re.search(r"95 % interval 0\.\d\d to 0\.\d\d, \w+ to \w+\.", fair.why)
    rare = table.groups[1].rows[0].pooled
    assert rare.is_warned
    assert WARNINGS["prevalence_paradox"] in rare.why


def test_strong_judgements_say_what_share_of_the_items_they_keep(measured_he_study):
    row = agreement_table(board_data(measured_he_study, {"statistic": "strong"})).groups[1].rows[1]
    assert re.search(r"\d\d% of the items kept", row.pooled.why)
    undefined = [figure for row in _rows(measured_he_study, "strong") for _, figure in row.parts if figure.text == "–"]
    assert undefined
    assert all("undefined, because" in figure.lines[0] for figure in undefined)


def _rows(study, statistic: str):
    table = agreement_table(board_data(study, {"statistic": statistic}))
    return [row for group in table.groups for row in group.rows]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_statistic_fills_the_table_and_never_with_nan(cast: Cast, statistic: str):
    rate(cast, 0, 0, 1)
    html = signed_in(cast.lead).get(board_url(cast), {"statistic": statistic}).content.decode()
    assert figures(html)
    assert not re.search(r"\b(nan|None|inf)\b", html)


def test_agreement_of_one_annotator_is_a_dash_with_a_reason(cast: Cast):
    rate(cast, 0)
    html = signed_in(cast.lead).get(board_url(cast)).content.decode()
    assert set(figures(html)) == {"–"}
    assert "undefined, because no item has been rated by more than one person yet" in html
    assert "no two annotators have rated the same item yet" in html


def test_answers_that_are_all_alike_are_a_dash_with_a_reason_and_full_agreement(cast: Cast):
    rate(cast, 0, 0)
    client = signed_in(cast.lead)
    assert (
        "everybody gave the same answer, so agreement cannot be told from chance"
        in client.get(board_url(cast)).content.decode()
    )
    assert set(figures(client.get(board_url(cast), {"statistic": "percent"}).content.decode())) == {"100%"}


def test_progress_seats_leases_and_pseudonyms_are_shown_and_names_are_not(cast: Cast):
    first = claim_seat(cast.annotators[0], cast.batch, now=NOW)
    rate_everything(first, now=NOW)
    submit_assignment(first, feedback="", now=NOW)
    second = claim_seat(cast.annotators[1], cast.batch, now=NOW)
    rate_everything(second, now=NOW, n=6)
    refresh_batch(cast.batch.pk, now=NOW)
    data = board_data(cast.study, {})
    assert (data.progress.n_ratings, data.progress.n_wanted, data.progress.percent) == (30, 72, 41)
    assert (data.seats.n_rating, data.seats.n_free, data.seats.n_finished) == (1, 1, 1)
    html = signed_in(cast.lead).get(board_url(cast)).content.decode()
    until = timezone.localtime(Seat.objects.get(assignment=second).lease_expires_at)
    assert "1 seat in use, 1 free, 1 finished." in html
    assert cast.annotators[0].pseudonym in html
    assert until.strftime("%H:%M") in html
    assert cast.annotators[0].user.username not in html


def test_an_expired_seat_is_free_on_the_board_and_its_answers_are_not_counted(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW, n=5)
    sweep(now=NOW)
    assert board_data(cast.study, {}).progress.n_ratings == 5
    later = NOW + timedelta(minutes=91)
    expire_leases(now=later)
    sweep(now=later)
    data = board_data(cast.study, {})
    assert (data.progress.n_ratings, data.seats.n_free) == (0, 3)


def test_batches_that_nobody_has_begun_are_wanted_all_the_same(cast: Cast):
    make_batch(cast.study, key="other", position=1)
    assert board_data(cast.study, {}).progress.n_wanted == 2 * 72
    rate(cast, 0)
    assert board_data(cast.study, {}).progress.n_wanted == 2 * 72


def test_a_page_has_ten_batches_whatever_their_number_and_the_study_sums_all(cast: Cast):
    for position in range(1, BATCHES + 5):
        rate(cast, 0, 1, batch=make_batch(cast.study, key=f"more-{position}", position=position))
    data = board_data(cast.study, {"page": "2"})
    assert [line.batch.key for line in data.lines] == [f"more-{n}" for n in range(10, 15)]
    assert data.progress.n_ratings == 14 * 48
    html = signed_in(cast.lead).get(board_url(cast), {"statistic": "alpha"}).content.decode()
    assert "?statistic=alpha&amp;page=2" in html


def test_a_pilot_is_shown_with_its_kind_and_stays_out_of_the_study(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot", position=1)
    rate(cast, 0, 1, 1, batch=pilot)
    data = board_data(cast.study, {})
    assert (data.progress.n_ratings, data.seats.n) == (0, 3)
    row = agreement_table(data).groups[-1].rows[0]
    assert (row.pooled.text, row.parts[0][1].text) == ("–", "–")
    assert row.parts[1][1].text != "–"
    assert "No ratings in main batches yet" in signed_in(cast.lead).get(board_url(cast)).content.decode()


@pytest.mark.parametrize("kind", ["review", "re_rating", "adjudication"])
def test_a_batch_of_one_person_has_no_column(cast: Cast, kind: str):
    make_batch(cast.study, key="private", kind=kind, position=1, reserved_for=cast.annotator)
    assert [line.batch.key for line in board_data(cast.study, {}).lines] == ["1"]


def test_the_choice_is_in_the_query_and_comes_back_selected(cast: Cast):
    rate(cast, 0, 1)
    make_batch(cast.study, key="second", position=1)
    query = {"batch": "second", "criterion": "listening", "statistic": "alpha", "page": "1"}
    for url in (board_url(cast), fragment_url(cast)):
        html = signed_in(cast.lead).get(url, query).content.decode()
        assert re.findall(r'<option value="(\w+)" selected', html) == ["alpha", "listening", "second"]
    assert agreement_table(board_data(cast.study, query)).n_columns == 4


def test_a_change_by_the_form_moves_the_address_and_a_poll_does_not(cast: Cast):
    client = signed_in(cast.lead)
    moved = client.get(fragment_url(cast), {"statistic": "alpha", "page": "1"}, headers={"HX-Trigger": "board-form"})
    assert moved.headers["HX-Replace-Url"] == f"{board_url(cast)}?statistic=alpha"
    assert "HX-Replace-Url" not in client.get(fragment_url(cast), {"statistic": "alpha", "page": "1"}).headers


@pytest.mark.parametrize("value", ["", "x", "\x00", "999999999999999999999", "-1", "ü" * 300])
def test_nonsense_in_the_query_shows_the_usual_board(cast: Cast, value: str):
    rate(cast, 0, 1)
    query = dict.fromkeys(("batch", "criterion", "statistic", "page", "v"), value)
    assert signed_in(cast.lead).get(fragment_url(cast), query).status_code == 200
    assert choice_of(query, spec_of(cast.version)).statistic.key == "fleiss"


@pytest.mark.parametrize(("bundle", "statistic"), [("he-protocol-1.0", "fleiss"), ("dialogue-hit-1.0", "alpha")])
def test_the_scale_decides_which_statistic_is_shown_first(db, bundle: str, statistic: str):
    version = store_bundle(load_bundle(BUILTIN / f"{bundle}.yaml"), publish=True, now=NOW)[0]
    choice = choice_of({}, spec_of(version))
    assert choice.statistic.key == statistic
    assert choice_of({"statistic": "percent"}, spec_of(version)).statistic.key == "percent"


def test_a_board_opened_before_the_first_batch_is_told_to_load_itself_again(cast: Cast):
    response = signed_in(cast.lead).get(reverse("board_fragment", args=[cast.study.slug]))
    assert response.headers["HX-Refresh"] == "true"


def test_a_study_without_batches_or_ratings_says_what_comes_next(cast: Cast):
    html = signed_in(cast.lead).get(board_url(cast)).content.decode()
    assert "No ratings yet" in html
    cast.batch.items.all().delete()
    cast.batch.delete()
    cache.clear()  # no version counts what nobody can do on a page
    html = signed_in(cast.owner).get(board_url(cast)).content.decode()
    assert "There are no batches yet" in html
    assert reverse("study_batches", args=[cast.study.slug]) in html


def test_criteria_with_different_answers_are_pooled_apart(cast: Cast):
    mixed = make_cast_with(cast, make_mixed_version())
    rate(mixed, 0, 1)
    together = agreement_table(board_data(mixed.study, {})).groups[0]
    assert [row.label for row in together.rows] == ["Question 1 + Question 2", "Question 3"]
    pairs = board_page(mixed.study, {})["pairs"]
    assert pairs.is_partial
    assert pairs.scope == "Question 1, Question 2"


def make_cast_with(cast: Cast, version: ProtocolVersion) -> Cast:
    """A study of its own, with nobody in it yet."""
    study = StudyFactory(protocol_version=version)
    return replace(cast, study=study, batch=make_batch(study), version=version)


def make_mixed_version() -> ProtocolVersion:
    """Two questions with three answers and one with five."""
    version = VersionFactory()
    for place, n_options in enumerate((3, 3, 5)):
        criterion = CriterionFactory(version=version, key=f"question-{place + 1}", position=place)
        for at in range(n_options):
            OptionFactory(criterion=criterion, position=at)
    return publish(version)


def test_an_ordinal_scale_has_an_alpha_of_its_order(cast: Cast):
    scale = make_cast_with(cast, make_scale_version(1))
    rate(scale, 0, 1)
    cells = AgreementCell.objects.filter(snapshot__batch=scale.batch)
    assert {tuple(cell.histogram) for cell in cells} == {("1,1,0,0,0",)}
    assert {cell.estimates["alpha"]["value"] for cell in cells} != {None}


# --- every word has a sentence ---------------------------------------------------------------------------
def words_of(*modules) -> set[str]:
    return {
        value for module in modules for name, value in vars(module).items() if name.isupper() and isinstance(value, str)
    }


def test_questions_that_have_no_coefficient_are_named_with_the_place_where_they_are(db, client: Client):
    version, _ = store_bundle(load_bundle(BUILTIN / "abc-eval-1.1.yaml"), publish=True, now=NOW)
    study = StudyFactory(protocol_version=version)
    make_batch(study)
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = " ".join(client.get(reverse("board", args=[study.slug])).content.decode().split())
    names = [each.name for each in spec_of(version).criteria if each.kind == "multiple"]
    assert len(names) == 8
    assert f"Not shown here: {', '.join(names[:-1])} and {names[-1]}. A question that takes several answers" in page
    assert f'<a href="{reverse("report", args=[study.slug])}#t-behaviours">Behaviours</a>' in page


def test_a_board_that_shows_every_question_says_nothing_of_others(cast: Cast):
    assert "Not shown here" not in signed_in(cast.owner).get(board_url(cast)).content.decode()


def test_every_reason_note_and_warning_of_the_measures_has_a_sentence():
    known = {*REASONS, *INTERVAL_NOTES, *WARNINGS}
    assert words_of(measures.estimate, measures.intervals, measures.labels, measures.cohen) <= known


@pytest.mark.parametrize("reason", REASONS)
def test_an_undefined_value_says_why_with_every_statistic(reason: str):
    for statistic in STATISTICS.values():
        figure = missing(statistic, reason)
        assert figure.text == "–"
        assert reason_sentence(reason) in figure.why
        assert statistic.definition in figure.why


@pytest.mark.parametrize("note", INTERVAL_NOTES)
def test_a_missing_interval_says_why(note: str):
    found = {"low": None, "high": None, "interval_note": note}
    assert interval_lines(STATISTICS["fleiss"], found) == [INTERVAL_NOTES[note]]


def test_the_largest_share_is_that_of_the_histogram():
    stored = {"5,2,0": 3, "0,7,0": 1, "1,1,5": 2}
    histogram = Histogram.from_json(stored)
    assert largest_share(stored) == histogram.largest_share
    assert largest_share(stored, (2, 1, 0)) == histogram.in_both_orders((2, 1, 0)).largest_share
    assert largest_share({}) is None


def test_few_items_have_no_colour():
    estimate = {"value": 0.9, "reason": None, "low": None, "high": None, "interval_note": "too_few_items"}
    counts = {"n_items": 9, "n_left_out": 1, "n_ratings": 19, "n_pairs": 0, "n_undefined": 0}
    estimates = {"fleiss": estimate | counts, "percent": {"value": 0.95}, "strong_share_kept": 1.0}
    figure = explained(STATISTICS["fleiss"], estimates, 0.5)
    assert (figure.text, figure.tone) == ("0.90", None)
    assert "9 items used, 19 answers. Items with only one answer" in figure.why
