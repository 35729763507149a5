"""A researcher, who is nothing else, makes a protocol in the admin and a study with it."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from annotation.models import Study
from annotation.services.researchers import admit
from protocols.bundles import dump_bundle
from protocols.models import ProtocolVersion
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import Screen
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
ADD = "/admin/protocols/protocolversion/add/"


@pytest.fixture
def researcher(transactional_db: None) -> User:
    user: User = UserFactory(username="ada")
    admit(user)
    Client().get("/")  # the first request of a process imports all pages, which takes longer than a browser waits here
    return user


def fill_criterion(page: Page, name: str, question: str, labels: list[str]) -> Locator:
    criterion = add_to(page.locator("#criteria-group"))
    criterion.get_by_label("Name:", exact=True).first.fill(name)
    criterion.get_by_label("Question:").fill(question)
    for label in labels:
        option = add_within(criterion, "options")
        option.get_by_label("Answer:").fill(label)
    return criterion


def add_within(part: Locator, name: str) -> Locator:
    return add_to(part.locator(f"> .djn-group[id$='-{name}-group']"))


def add_to(group: Locator) -> Locator:
    parts = group.locator("> fieldset > .djn-items > .djn-item:not(.djn-no-drag)")
    n = parts.count()
    group.locator("> fieldset > .djn-add-item button").click()
    return parts.nth(n)


def options_of(criterion: Locator) -> Locator:
    return criterion.locator("> .djn-group[id$='-options-group'] > fieldset > .djn-items > .djn-item:not(.djn-no-drag)")


def drag(page: Page, part: Locator, onto: Locator) -> None:
    """By the title of the part, as a hand does it: in several moves."""
    handle, target = part.locator("> h3"), onto.locator("> h3")
    handle.scroll_into_view_if_needed()
    start, end = handle.bounding_box(), target.bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 140, start["y"] + 10)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(start["x"] + 140, start["y"] + 10 + (end["y"] - 4 - start["y"] - 10) * step / 10)
    page.mouse.up()


def picture(screen: Screen, name: str, part: Locator | None = None) -> None:
    screen.keep_picture(SCREENSHOTS / f"admin-{name}.png", part)


def test_the_first_page_of_a_researcher_says_what_to_do(open_screen, researcher: User):
    screen = open_screen(researcher)
    page = screen.go("/")

    expect(page.get_by_role("heading", name="Getting started")).to_be_visible()
    page.get_by_role("link", name="Write one in the admin").click()
    expect(page.get_by_role("heading", name="Add protocol version")).to_be_visible()


@pytest.mark.journey
def test_from_add_to_published_on_one_page_and_a_study_with_it(open_screen, researcher: User):
    screen = open_screen(researcher)
    page = screen.go(ADD)
    page.get_by_label("Name of the new protocol").fill("Tone")

    tone = fill_criterion(page, "Tone", "Which tone does it have?", ["Kind", "Rude", "Neutral"])
    fill_criterion(page, "Use", "Is it of use?", ["Yes", "No", "Partly"])
    rude = options_of(tone).nth(1)
    rude.get_by_label("Then ask for:").select_option("explanation")
    reason = add_within(rude, "explanations")
    reason.get_by_label("Reason:").fill("It insults somebody.")
    picture(screen, "criterion", tone)

    page.get_by_label("I have read it").check()
    page.get_by_role("button", name="Save and publish").click()
    fault = page.locator(".field-sub_dimension .errorlist")
    expect(fault).to_have_text("This field is required.")
    expect(fault).to_be_visible()
    picture(screen, "fault", page.locator("#criteria-0-options-1"))
    assert not ProtocolVersion.objects.exists()

    name_in_report = page.get_by_role("textbox", name="Name in the report:")
    name_in_report.focus()
    page.keyboard.type("Insult")
    tone = page.locator("#criteria-0")
    for option in options_of(tone).all():
        option.locator("> h3").get_by_role("button", name="Show all of this part").click()
    drag(page, options_of(tone).nth(2), options_of(tone).first)
    labels = options_of(tone).locator("> fieldset .field-label input")
    expect(labels.first).to_have_value("Neutral")
    page.get_by_label("I have read it").check()
    page.get_by_role("button", name="Save and publish").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Tone 0.1 is published.")).to_be_visible()
    expect(page.get_by_text("published and cannot be changed")).to_be_visible()
    expect(page.get_by_role("button", name="New draft 0.2")).to_be_visible()
    picture(screen, "published")
    version = ProtocolVersion.objects.get()
    first, second = dump_bundle(version)["criteria"]
    assert [option["label"] for option in first["options"]] == ["Neutral", "Kind", "Rude"]
    assert first["options"][2]["explanations"][0]["sub_dimension"] == "Insult"
    assert [option["label"] for option in second["options"]] == ["Yes", "No", "Partly"]

    make_study(page, version)


def make_study(page: Page, version: ProtocolVersion) -> None:
    page.goto("/admin/annotation/study/add/")
    page.get_by_label("Name:", exact=True).fill("Tones of replies")
    page.locator("[name=protocol_version]").select_option(str(version.pk))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="tones-of-replies")).to_be_visible()
    page.locator(".messagelist").get_by_role("link", name="Tones of replies").last.click()
    expect(page.get_by_role("heading", name="What comes next")).to_be_visible()
    study = Study.objects.get()
    assert [(each.user.username, each.role) for each in study.memberships.all()] == [("ada", "owner")]


def test_a_condition_on_a_criterion_that_is_missing_is_said_beside_it(open_screen, researcher: User):
    page = open_screen(researcher).go(ADD)
    page.get_by_label("Name of the new protocol").fill("Tone")
    tone = fill_criterion(page, "Tone", "Which tone does it have?", ["Kind", "Rude"])
    tone.locator("> fieldset summary").click()
    tone.get_by_label("Asked only when").fill("fluency = good")

    page.get_by_role("button", name="Save", exact=True).click()

    fault = page.locator(".field-when .errorlist")
    expect(fault).to_be_visible()
    expect(fault).to_contain_text(re.compile("fluency, which is not a criterion"))
    expect(page.get_by_role("textbox", name="Asked only when:")).to_have_value("fluency = good")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_anybody_on_the_page(open_screen, researcher: User, scheme: str):
    screen = open_screen(researcher, color_scheme=scheme)
    page = screen.go(ADD)
    criterion = fill_criterion(page, "Tone", "Which tone does it have?", ["Kind"])
    add_within(criterion, "examples")
    page.evaluate("scrollTo(0, 0)")
    picture(screen, f"page-{scheme}")

    assert not screen.problems
    screen.allowed.append("Applying inline style")  # axe's own, to read a style sheet that imports another
    assert not screen.barriers()


def test_a_number_puts_a_part_in_its_place(open_screen, researcher: User):
    page = open_screen(researcher).go(ADD)
    page.get_by_label("Name of the new protocol").fill("Tone")
    tone = fill_criterion(page, "Tone", "Which tone does it have?", ["Kind", "Rude", "Neutral"])
    numbers = options_of(tone).locator("> fieldset .field-position input")
    labels = options_of(tone).locator("> fieldset .field-label input")
    expect(numbers.last).to_have_value("3")

    numbers.last.fill("1")
    page.keyboard.press("Tab")

    assert [labels.nth(n).input_value() for n in range(3)] == ["Neutral", "Kind", "Rude"]
    assert [numbers.nth(n).input_value() for n in range(3)] == ["1", "2", "3"]
    numbers.nth(1).fill("9")
    page.keyboard.press("Enter")
    expect(page.get_by_text("was added successfully")).to_be_visible()
    expect(page.get_by_label("Name:", exact=True).first).to_have_value("Tone")
    version = ProtocolVersion.objects.get()
    assert version.status == "draft", "Enter saves, and does not publish"
    (criterion,) = dump_bundle(version)["criteria"]
    assert [option["label"] for option in criterion["options"]] == ["Neutral", "Rude", "Kind"]


def test_every_fault_is_named_at_the_top_and_leads_to_its_field(open_screen, researcher: User):
    page = open_screen(researcher).go(ADD)
    page.get_by_label("Name of the new protocol").fill("Tone")
    tone = fill_criterion(page, "Tone", "Which tone does it have?", ["Kind", "Rude"])
    rude = options_of(tone).nth(1)
    rude.get_by_label("Then ask for:").select_option("explanation")
    add_within(rude, "explanations").get_by_label("Reason:").fill("It insults.")
    fill_criterion(page, "Use", "", ["Yes", "No"])
    page.get_by_role("button", name="Save", exact=True).click()

    faults = page.locator(".faults li")
    expect(faults).to_have_text(
        [
            "Tone › Rude › It insults. › Name in the report: This field is required.",
            "Use › Question: This field is required.",
        ]
    )
    faults.first.get_by_role("link").click()
    expect(page.locator("#id_criteria-0-options-1-explanations-0-sub_dimension")).to_be_in_viewport()

    page.locator("#id_criteria-0-options-1-explanations-0-sub_dimension").fill("Insult")
    page.keyboard.press("Enter")
    expect(faults).to_have_text(["Use › Question: This field is required."])
    expect(page).to_have_url(re.compile(f"{ADD}$"))
    expect(faults.first).to_be_in_viewport()
    faults.first.get_by_role("link").click()
    page.locator("#id_criteria-1-question").fill("Is it of use?")
    page.get_by_label("I have read it").check()
    page.get_by_role("button", name="Save and publish").click()
    expect(page.get_by_text("Tone 0.1 is published.")).to_be_in_viewport()
    assert "#" not in page.url


def test_a_part_folds_to_its_title(open_screen, researcher: User):
    page = open_screen(researcher).go(ADD)
    tone = fill_criterion(page, "Tone", "Which tone does it have?", ["Kind", "Rude"])
    kind = options_of(tone).first
    kind.locator("> h3").get_by_role("button", name="Show all of this part").click()

    expect(kind.locator("> h3")).to_contain_text("Kind")
    expect(kind.locator("> h3")).to_be_visible()
    expect(kind.get_by_label("Answer:")).to_be_hidden()
    expect(options_of(tone).last.get_by_label("Answer:")).to_be_visible()
    kind.locator("> h3").get_by_role("button", name="Show all of this part").click()
    expect(kind.get_by_label("Answer:")).to_be_visible()
