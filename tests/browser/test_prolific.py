"""From a platform's page to its completion page in Chromium: consent, rating, the right code, once per person."""

from collections.abc import Callable, Iterator

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Participant, Study
from qualification.checks.services.inserting import insert_checks
from qualification.models import Demographics, Entry, Recruitment
from qualification.qualifying.services.results import sweep_attempts
from tests.browser.helpers import LOOKS, Screen, answer, read_and_start
from tests.cast import make_cast
from tests.clock import NOW
from tests.factories import MembershipFactory, StudyFactory, make_annotator, make_batch
from tests.qualification.checks.factories import CheckPlanFactory, make_checks
from tests.qualification.qualifying.factories import QualificationFactory, like, make_panel, mostly
from tests.qualification.recruitment.factories import (
    DemographicsFactory,
    EntryFactory,
    PayEntryFactory,
    let_time_run_out,
    open_for,
)
from tests.stub_platform import StubPlatform, stub_platform

pytestmark = pytest.mark.django_db(transaction=True)
CODES = ("CDONE1", "CSCREEN2", "CATTENTION3", "CTIME4")
PERSON, SESSION = "5e9088a8a4b6ed018b45ba7b", "671b8e95b17f88050648883e"
Open = Callable[..., Screen]


@pytest.fixture
def platform() -> Iterator[StubPlatform]:
    with stub_platform(CODES) as stub:
        yield stub


@pytest.fixture
def recruitment(transactional_db: None, platform: StubPlatform, live_server: LiveServer) -> Recruitment:
    """One batch of one dialogue, whose address the platform's start page links to with its ids filled in."""
    study = StudyFactory(slug="crowd", name="Crowd study", seats=2)
    make_batch(study, 1, 1)
    recruitment = open_for(study, platform_url=platform.url)
    path = reverse("enter", args=[study.join_token, "prolific"])
    query = f"?PROLIFIC_PID={PERSON}&STUDY_ID={'c' * 24}&SESSION_ID={SESSION}"
    platform.link = live_server.url + path + query
    return recruitment


def come(screen: Screen, platform: StubPlatform) -> Page:
    page = screen.go(f"{platform.url}/start")
    page.get_by_role("link", name="Open the study").click()
    return page


def agree(page: Page) -> None:
    page.get_by_label("I have read this and agree").check()
    page.get_by_role("button", name="Take part").click()
    page.wait_for_url("**/work/")


def finish(page: Page, code: str) -> None:
    """By the button of My work to the platform."""
    page.get_by_role("button", name="Finish and go back to Prolific").click()
    assert page.locator("#completion-code").input_value() == code
    page.get_by_role("button", name="Back to Prolific").click()
    expect(page.get_by_role("heading", name="Submission received")).to_be_visible()


def rate_all(page: Page, n_dialogues: int = 1, key: str = "1") -> None:
    """By the keyboard, the first option of each of four criteria."""
    n = 4 * n_dialogues
    read_and_start(page, key)
    for number in range(n):
        expect(page.locator("[data-progress-text]")).to_have_text(f"{number} of {n} steps")
        answer(page, "1")
    page.wait_for_url("**/submit/")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/thanks/")


def the_annotator() -> Participant:
    return Participant.objects.get(entry__person=PERSON)


def insert_a_check(study: Study, *, most_missed: int) -> None:
    """Beside the dialogue another one, whose text asks for the second option everywhere."""
    CheckPlanFactory(study=study, attention_percent=50, most_attention_missed=most_missed)
    make_checks(study, 1, kind="attention", option=1)
    assert insert_checks(study, by=None, now=timezone.now()).n_checks == 1


# --- journeys -----------------------------------------------------------------------------------------------
def test_from_consent_to_the_completion_code(open_screen: Open, recruitment, platform):
    page = come(open_screen(), platform)
    assert PERSON not in page.url
    agree(page)
    rate_all(page)
    finish(page, "CDONE1")

    assert platform.told_codes == ["CDONE1"]
    assert Entry.objects.get().state == "done"
    page.goto(reverse("work"))
    page.get_by_role("button", name="Back to Prolific").click()
    assert page.locator("#completion-code").input_value() == "CDONE1"


def test_who_rates_unlike_the_panel_does_not_qualify_and_is_screened_out(open_screen: Open, recruitment, platform):
    study = recruitment.study
    Study.objects.filter(pk=study.pk).update(has_qualification=True)
    QualificationFactory(study=study)
    qualification = make_batch(study, 3, 1, position=5, kind="qualification", key="qualification-1")
    make_panel(study, qualification, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    page = come(open_screen(), platform)
    agree(page)
    rate_all(page, n_dialogues=3, key="qualification-1")
    page.goto(reverse("work"))
    expect(page.get_by_text("is being decided")).to_be_visible()
    assert not [code for code in CODES if code in page.content()]

    assert sweep_attempts(now=timezone.now()) == 1
    expect(page.get_by_text("You did not qualify this time.")).to_be_visible()
    finish(page, "CSCREEN2")

    assert platform.told_codes == ["CSCREEN2"]
    assert the_annotator().status == "failed"
    assert Entry.objects.get().state == "screened_out"


def test_whose_time_runs_out_is_timed_out(open_screen: Open, recruitment, platform):
    page = come(open_screen(), platform)
    agree(page)
    let_time_run_out(the_annotator(), recruitment.study.batches.get())
    page.reload()
    finish(page, "CTIME4")

    assert platform.told_codes == ["CTIME4"]


def test_whom_a_lead_excludes_for_missed_attention_checks_failed_attention(open_screen: Open, recruitment, platform):
    insert_a_check(recruitment.study, most_missed=0)
    page = come(open_screen(), platform)
    agree(page)
    rate_all(page, n_dialogues=2)
    page.goto(reverse("work"))
    page.get_by_role("button", name="Finish and go back to Prolific").click()
    expect(page.get_by_role("heading", name="Your work is being looked at")).to_be_visible()
    assert not [code for code in CODES if code in page.content()]

    lead = MembershipFactory(study=recruitment.study, role="lead").user
    desk = open_screen(lead).go(reverse("checks", args=["crowd"]))
    flag = desk.get_by_role("region", name=the_annotator().pseudonym)
    expect(flag.get_by_role("heading")).to_contain_text("attention checks missed")
    flag.get_by_label("Reason for your decision").fill("The text said what to answer.")
    flag.get_by_role("button", name="Exclude").click()
    expect(desk.get_by_text(f"{the_annotator().pseudonym} is excluded")).to_be_visible()
    page.get_by_role("link", name="Refresh").click()
    finish(page, "CATTENTION3")

    assert platform.told_codes == ["CATTENTION3"]
    assert Entry.objects.get().state == "failed_attention"


def test_who_misses_no_more_checks_than_the_study_allows_has_finished(open_screen: Open, recruitment, platform):
    insert_a_check(recruitment.study, most_missed=1)
    page = come(open_screen(), platform)
    agree(page)
    rate_all(page, n_dialogues=2)
    page.goto(reverse("work"))
    finish(page, "CDONE1")

    assert platform.told_codes == ["CDONE1"]


def test_who_returns_on_another_device_finds_their_work(open_screen: Open, recruitment, platform):
    first = come(open_screen(), platform)
    agree(first)
    read_and_start(first, "1")
    second = come(open_screen(), platform)
    expect(second.get_by_text("Welcome back")).to_be_visible()
    second.get_by_role("button", name="Continue").click()
    second.wait_for_url("**/work/")

    expect(second.get_by_role("button", name="Continue")).to_be_visible()
    assert (Entry.objects.count(), Participant.objects.count()) == (1, 1)


@pytest.mark.journey
def test_two_tabs_take_part_once(open_screen: Open, recruitment, platform):
    screen = open_screen()
    first = come(screen, platform)
    second = screen.new_tab()
    second.goto(platform.link)
    agree(first)
    second.get_by_label("I have read this and agree").check()
    second.get_by_role("button", name="Take part").click()
    second.wait_for_url("**/work/")

    expect(second.get_by_text(f"Reports show you as {the_annotator().pseudonym}.")).to_be_visible()
    assert (Entry.objects.count(), Participant.objects.count()) == (1, 1)


def test_who_does_not_agree_is_asked_to_return_the_submission(open_screen: Open, recruitment, platform):
    page = come(open_screen(), platform)
    page.get_by_role("button", name="I do not agree").click()

    expect(page.get_by_text("return your submission on Prolific")).to_be_visible()
    assert Entry.objects.count() == 0


def test_nobody_elses_page_frames_it(open_screen: Open, recruitment, platform):
    screen = open_screen()
    screen.allowed.append("frame-ancestors")
    screen.allowed.append("status of 400")  # and no cookie goes with a page in a frame
    page = screen.go(f"{platform.url}/frame")

    expect(page.frame_locator("iframe").get_by_text("Crowd study")).to_have_count(0)


# --- for everybody ------------------------------------------------------------------------------------------------
@LOOKS
def test_the_pages_have_no_barriers_and_do_not_scroll_sideways(
    open_screen: Open, platform, recruitment, width: int, scheme: str
):
    cast = make_cast()
    open_for(cast.study, n_wanted=40)
    entry = EntryFactory(study=cast.study, participant=cast.annotators[1], state="done", ended_at=NOW)
    PayEntryFactory(participant=entry.participant)
    for number in range(4):
        participant = make_annotator(cast.study, f"known-{number}")
        DemographicsFactory(participant=participant, fields={"Sex": "Female", "Age": f"{20 + 9 * number}"})
    Demographics.objects.filter(fields__Age="20").update(fields={"Sex": "Male"})
    over = make_annotator(recruitment.study, "over")
    EntryFactory(study=recruitment.study, participant=over, state="done", ended_at=NOW)
    agreed = make_annotator(recruitment.study, "on-the-way", consent_version="1", consented_at=NOW)
    on_the_way = EntryFactory(study=recruitment.study, participant=agreed)
    look = {"width": width, "color_scheme": scheme}
    entrance = platform.link.partition("?")[0]

    found = barriers_on(open_screen(**look), [platform.link], [entrance])
    found |= barriers_on(open_screen(cast.owner, **look), [reverse("recruitment", args=["wellbeing"])])
    found |= barriers_on(open_screen(over.user, **look), [reverse("entry_end", args=["crowd"]), reverse("work")])
    own = [reverse(name, args=["crowd"]) for name in ("entry_end", "about_you")]
    found |= barriers_on(open_screen(on_the_way.participant.user, **look), [*own, reverse("work")])

    assert found == {}


def barriers_on(screen: Screen, paths: list[str], refused: list[str] | None = None) -> dict[str, str]:
    """`refused`: pages that answer with an error, as they have to."""
    found = {}
    for path in [*paths, *(refused or [])]:
        page = screen.go(path)
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        if problem := screen.barriers() or ("scrolls sideways" if is_wide else ""):
            found[path] = problem
    if refused:
        screen.allowed.append("400 (Bad Request)")
    return found
