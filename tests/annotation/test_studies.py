"""Studies and batches from the browser, and the services behind them."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.urls import reverse

from annotation.models import Membership, Study
from annotation.selectors.studies import checklist, numbers_of, study_list
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from annotation.services.studies import create_study, ensure_study, open_study, update_study
from protocols.specs import spec_of
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import (
    DialogueFactory,
    ImportJobFactory,
    MembershipFactory,
    SnapshotFactory,
    StudyFactory,
    UserFactory,
    make_annotator,
    make_batch,
)
from tests.factories_protocols import VersionFactory, make_he_version
from tests.working import rate_everything

pytestmark = [pytest.mark.django_db, pytest.mark.own_cast]


@pytest.fixture
def researcher(client) -> User:
    """Somebody who may create studies, signed in."""
    user = UserFactory(username="ada", is_staff=True)
    client.force_login(user)
    return user


def new_study(version, **changes):
    return {"name": "Night talks", "slug": "", "protocol_version": version.pk, "seats": 3,
            "majority_rule": "plurality", "word_scale": "landis_koch", "text_format": "plain",
            "consent_version": "1"} | changes  # fmt: skip


# --- where people are led -------------------------------------------------------------------------
def test_a_visitor_sees_a_start_page_with_the_way_to_sign_in(client):
    page = client.get(reverse("home"))

    assert page.status_code == 200
    assert reverse("account_login") in page.content.decode()


def test_an_annotator_is_led_to_their_work(client, cast: Cast):
    client.force_login(cast.annotator.user)

    assert client.get(reverse("home")).url == reverse("work")


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer"])
def test_people_who_run_a_study_are_led_to_their_studies(client, cast: Cast, who):
    client.force_login(getattr(cast, who))

    assert client.get(reverse("home")).url == reverse("studies")


# --- creating -------------------------------------------------------------------------------------
def test_a_researcher_creates_a_study_in_one_form_and_owns_it(client, researcher):
    answer = client.post(reverse("study_new"), new_study(make_he_version()))

    study = Study.objects.get()
    assert answer.url == reverse("study", args=["night-talks"])
    assert (study.name, study.seats, study.status) == ("Night talks", 3, "draft")
    assert study.memberships.get().role == "owner"
    assert study.memberships.get().user == researcher


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"name": ""}, "name", "required"),
        ({"slug": "new"}, "slug", "taken"),
        ({"name": "你好"}, "slug", "No address can be made from this name"),
        ({"seats": 0}, "seats", "greater than or equal to 1"),
        ({"seats": 99999}, "seats", "less than or equal to"),
        ({"protocol_version": ""}, "protocol_version", "required"),
        ({"pay_amount": "4.67"}, "pay_currency", "currency"),
    ],
)
def test_a_mistake_in_the_form_is_explained_beside_its_field(client, researcher, changes, field, said):
    answer = client.post(reverse("study_new"), new_study(make_he_version(), **changes))

    assert answer.status_code == 422
    assert said in " ".join(answer.context["form"].errors[field])
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert f'<a href="#id_{field}">' in answer.content.decode(), "the page is longer than a screen"
    assert not Study.objects.exists()


def test_a_name_that_is_taken_asks_for_another_address(client, researcher):
    StudyFactory(slug="night-talks")

    answer = client.post(reverse("study_new"), new_study(make_he_version()))

    assert "taken" in answer.context["form"].errors["slug"][0]


def test_drafts_and_retired_protocols_are_not_offered(client, researcher):
    VersionFactory(protocol__name="Half done")
    make_he_version()

    page = client.get(reverse("study_new")).content.decode()

    assert "HE protocol" in page
    assert "Half done" not in page


def test_a_study_cannot_follow_a_draft():
    with pytest.raises(ValidationError, match="Publish it first"):
        create_study(slug="s", name="S", protocol_version=VersionFactory(), owner=None, now=NOW)


def test_without_a_protocol_the_page_says_how_to_get_one(client, researcher):
    assert "load_protocols" in client.get(reverse("study_new")).content.decode()


def test_ensuring_a_study_twice_makes_one():
    version = make_he_version()

    first, is_new = ensure_study(slug="s", protocol_version=version, name="S", owner=None, now=NOW)
    second, is_new_again = ensure_study(slug="s", protocol_version=version, name="Other", owner=None, now=NOW)

    assert (is_new, is_new_again) == (True, False)
    assert first == second
    assert second.name == "S"


def test_a_slug_cannot_change_its_protocol():
    study = StudyFactory()

    with pytest.raises(Refused) as refused:
        ensure_study(slug=study.slug, protocol_version=make_he_version(), name="S", owner=None, now=NOW)

    assert refused.value.code == "other_protocol"


# --- settings -------------------------------------------------------------------------------------
def test_settings_are_changed_and_said_to_be(client, cast: Cast):
    client.force_login(cast.researcher)
    form = new_study(cast.version, name="Calm talks", pay_amount="4.67", pay_currency="gbp")

    page = client.post(reverse("study_settings", args=["wellbeing"]), form, follow=True)

    cast.study.refresh_from_db()
    assert (cast.study.name, str(cast.study.pay_amount), cast.study.pay_currency) == ("Calm talks", "4.67", "GBP")
    assert cast.study.slug == "wellbeing"
    assert "saved" in page.content.decode()


def test_a_lowest_kappa_is_kept_as_written_and_taken_back_by_leaving_it_empty(client, cast: Cast):
    client.force_login(cast.researcher)

    for written, kept in (("0.215", 0.215), ("-1", -1.0), ("0", 0.0), ("", None)):
        client.post(reverse("study_settings", args=["wellbeing"]), new_study(cast.version, kappa_floor=written))
        cast.study.refresh_from_db()
        assert cast.study.kappa_floor == kept


@pytest.mark.parametrize("written", ["1.01", "-1.01", "nan", "inf", "high"])
def test_a_lowest_kappa_that_is_no_kappa_is_refused_beside_its_field(client, cast: Cast, written: str):
    client.force_login(cast.researcher)
    form = new_study(cast.version, kappa_floor=written)

    answer = client.post(reverse("study_settings", args=["wellbeing"]), form)

    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"kappa_floor"}


def test_a_margin_of_equivalence_is_named_before_the_first_main_answer(client, cast: Cast):
    client.force_login(cast.researcher)
    for written, kept in (("12.5", 12.5), ("", None), ("10", 10.0)):
        client.post(reverse("study_settings", args=["wellbeing"]), new_study(cast.version, equivalence_margin=written))
        cast.study.refresh_from_db()
        assert cast.study.equivalence_margin == kept
    refused = client.post(
        reverse("study_settings", args=["wellbeing"]), new_study(cast.version, equivalence_margin="0")
    )
    assert refused.context["form"].errors.keys() == {"equivalence_margin"}
    rate_everything(claim_seat(cast.annotators[0], cast.batch, now=NOW), now=NOW, n=1)
    with pytest.raises(ValidationError, match="a margin has to be named before them"):
        update_study(cast.study, equivalence_margin=20.0, now=NOW)
    assert update_study(cast.study, equivalence_margin=10.0, name="Other", now=NOW).equivalence_margin == 10.0


def test_the_protocol_of_a_study_with_batches_is_fixed(cast: Cast):
    with pytest.raises(ValidationError, match="cannot change"):
        update_study(cast.study, protocol_version=make_he_version(), now=NOW)


def test_a_wrong_setting_does_not_rename_the_page(client, cast: Cast):
    client.force_login(cast.owner)

    answer = client.post(reverse("study_settings", args=["wellbeing"]), new_study(cast.version, name="X", seats=0))

    assert answer.status_code == 422
    assert "<h1>Wellbeing dialogues" in answer.content.decode()


# --- overview -------------------------------------------------------------------------------------
def steps_of(study: Study):
    return checklist(study, numbers_of(study))


def test_the_checklist_of_an_empty_study_begins_with_the_import():
    steps = steps_of(StudyFactory(status="draft"))

    assert [step.title for step in steps] == ["Import", "Batches", "People", "Open", "Watch", "Report"]
    assert [step.is_done for step in steps] == [False] * 6
    assert [step.title for step in steps if step.is_next] == ["Import"]


def test_the_checklist_moves_on_with_the_study():
    study = StudyFactory(status="draft")
    DialogueFactory(study=study)
    assert next(step for step in steps_of(study) if step.is_next).title == "Batches"

    make_batch(study)
    assert next(step for step in steps_of(study) if step.is_next).title == "People"

    make_annotator(study, "ben")
    assert next(step for step in steps_of(study) if step.is_next).title == "Open"

    study = open_study(study, now=NOW)
    assert next(step for step in steps_of(study) if step.is_next).title == "Watch"


def test_the_overview_counts_what_the_study_consists_of(client, cast: Cast):
    client.force_login(cast.observer)

    numbers = client.get(reverse("study", args=["wellbeing"])).context["numbers"]

    assert (numbers.n_dialogues, numbers.n_candidates, numbers.n_sources, numbers.n_items) == (2, 6, 3, 6)
    assert (numbers.n_seats, numbers.n_taken, numbers.n_annotators) == (3, 0, 3)


def test_an_observer_is_offered_no_step_that_is_refused_to_them(client, cast: Cast):
    client.force_login(cast.observer)

    page = client.get(reverse("study", args=["wellbeing"])).content.decode()

    assert reverse("board", args=["wellbeing"]) in page
    for name in ("study_import", "study_batches", "study_people", "study_settings", "study_status"):
        assert reverse(name, args=["wellbeing"]) not in page


# --- opening and closing ---------------------------------------------------------------------------
def test_a_study_is_opened_closed_and_opened_again(client, cast: Cast):
    client.force_login(cast.owner)

    for status in ("closed", "open"):
        client.post(reverse("study_status", args=["wellbeing"]), {"status": status})
        cast.study.refresh_from_db()
        assert cast.study.status == status


def test_a_study_without_batches_is_not_opened(client, cast: Cast):
    study = StudyFactory(status="draft")
    MembershipFactory(study=study, user=cast.owner, role="owner")
    client.force_login(cast.owner)

    page = client.post(reverse("study_status", args=[study.slug]), {"status": "open"}, follow=True)

    study.refresh_from_db()
    assert study.status == "draft"
    assert "nothing to rate yet" in page.content.decode()


def opened(client, study: Study) -> str:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.post(reverse("study_status", args=[study.slug]), {"status": "open"}, follow=True)
    return page.content.decode()


def test_opening_says_what_is_missing_before_anybody_can_rate(client, db):
    study = StudyFactory(status="draft")
    make_batch(study, status="draft")
    page = opened(client, study)
    assert "The study is open, but nobody can rate yet." in page
    assert f'<a href="{reverse("study_batches", args=[study.slug])}">open batches</a>' in page
    assert (
        f'<a href="{reverse("study_people", args=[study.slug])}">add people or turn on the invitation link</a>' in page
    )


@pytest.mark.parametrize("way", ["link", "person"])
def test_opening_says_that_annotators_can_take_seats_once_they_can(client, db, way: str):
    study = StudyFactory(status="draft", is_joinable=way == "link")
    make_batch(study, status="open")
    if way == "person":
        make_annotator(study, "ann")
    page = opened(client, study)
    assert "The study is open: annotators can take seats in its open batches." in page
    assert "nobody can rate yet" not in page


@pytest.mark.parametrize("status", ["draft", "", "\x00", "OPEN"])
def test_a_study_has_no_other_status(client, cast: Cast, status):
    client.force_login(cast.owner)

    client.post(reverse("study_status", args=["wellbeing"]), {"status": status})

    cast.study.refresh_from_db()
    assert cast.study.status == "open"


# --- numbers of queries ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("route", "most"),
    [("study", 16), ("study_batches", 16), ("study_people", 16), ("study_import", 16), ("study_settings", 16)],
)
def test_a_page_of_a_study_takes_the_same_queries_however_much_it_shows(
    client, cast: Cast, route, most, django_assert_max_num_queries
):
    client.force_login(cast.owner)
    for number in range(20):
        make_batch(cast.study, 1, 1, position=number + 1)
        make_annotator(cast.study, f"many-{number}")
        ImportJobFactory(study=cast.study)
        MembershipFactory(study=cast.study, role=Membership.Role.OBSERVER)

    spec_of(cast.version)  # a process reads a frozen version once
    with django_assert_max_num_queries(most):
        client.get(reverse(route, args=["wellbeing"]))


def test_the_list_of_studies_takes_the_same_queries_however_many_there_are(
    client, cast: Cast, django_assert_max_num_queries
):
    for _ in range(20):
        MembershipFactory(study__protocol_version=cast.version, user=cast.owner, role="owner")
    client.force_login(cast.owner)

    with django_assert_max_num_queries(6):
        page = client.get(reverse("studies"))
    assert page.content.decode().count("study-card") == 21


def test_the_list_shows_nobody_else_s_study(client, cast: Cast):
    StudyFactory(name="Somebody else's")
    client.force_login(cast.owner)

    page = client.get(reverse("studies")).content.decode()

    assert "Wellbeing dialogues" in page
    assert "Somebody else" not in page


def test_a_study_card_counts_the_answers_of_batches_nobody_has_begun(cast: Cast):
    """Otherwise a study looks finished as soon as its first batch is."""
    SnapshotFactory(batch=cast.batch, n_ratings=72, n_wanted=72)
    SnapshotFactory(batch=None, study=cast.study, n_ratings=72, n_wanted=72)
    make_batch(cast.study, 1, 2, position=1)
    make_batch(cast.study, 1, 2, position=2, kind="pilot")

    found = study_list(Study.objects.all(), cast.owner.pk).get()

    assert (found.n_ratings, found.n_wanted) == (72, 72 + 3 * 2 * 4)  # seats, items, criteria
