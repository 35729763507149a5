"""The researcher's pages of protocols in a browser: nothing in the way of anybody, and the whole path by hand."""

import copy
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from protocols.bundles import bundle_hash, load_bundle, write_yaml
from protocols.models import Option, Protocol, ProtocolVersion
from protocols.selectors import BUILTIN, builtin_bundles
from protocols.services import new_draft, retire_version, store_bundle
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS, Screen
from tests.browser.test_study_pages import OPEN_ALL
from tests.factories import UserFactory
from tests.protocols.conftest import NOW, SMALL

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "w" * 200
HOSTILE = "<img src=x onerror='window.hit=1'><script>window.hit=1</script><b>bold</b>"


@pytest.fixture
def researcher(transactional_db: None) -> User:
    return UserFactory(username="researcher", is_staff=True)


@pytest.fixture
def library(researcher: User) -> None:
    """What ships, a draft that differs in much, one with faults, a retired one, and names that fit no screen."""
    for path in builtin_bundles():
        store_bundle(load_bundle(path), publish=True, now=NOW)
    first = ProtocolVersion.objects.get(protocol__slug="he-protocol", version="1.0")
    change(new_draft(first, version_name="1.1", now=NOW))
    broken = new_draft(first, version_name="1.2", now=NOW)
    broken.criteria.filter(position=1).update(question="")
    Option.objects.filter(criterion__version=broken, criterion__position=2, position=2).update(label="")
    retire_version(store_bundle(SMALL, publish=True, now=NOW)[0])
    for number in range(5):
        store_bundle(
            SMALL | {"protocol": f"{LONG[:70]}{number}", "name": f"{LONG[:190]}{number}"}, publish=False, now=NOW
        )


def change(draft: ProtocolVersion) -> None:
    ProtocolVersion.objects.filter(pk=draft.pk).update(
        reading_seconds=30, guidelines=draft.guidelines.replace("the", "this", 3), welcome="", notices=["Be kind."]
    )
    first, second, *_ = draft.criteria.all()
    draft.criteria.filter(pk=first.pk).update(question=first.question.replace("response", "answer") + " Why?")
    draft.criteria.filter(pk=second.pk).update(name="A new name")
    first.options.filter(position=1).update(label="Fine", definition="It is fine.")
    first.options.filter(position=2).update(role="neutral")
    first.examples.filter(position=1).update(why="Another reason.")


def addresses() -> dict[str, str]:
    version, compare = "protocol_version", reverse("protocol_compare")
    long = Protocol.objects.filter(slug__startswith=LONG[:70]).first()
    return {
        "list": reverse("protocols"),
        "published": reverse(version, args=["he-protocol", "1.0"]),
        "draft": reverse(version, args=["he-protocol", "1.1"]),
        "faults": reverse(version, args=["he-protocol", "1.2"]),
        "retired": reverse(version, args=["small", "1.0"]),
        "computed": reverse(version, args=["diqad", "1.0"]),
        "long": reverse(version, args=[long.slug, "1.0"]),
        "choose": compare,
        "compare": f"{compare}?a=he-protocol@1.0&b=he-protocol@1.1",
        "languages": f"{compare}?a=diqad@1.0&b=diqad@1.0-zh",
        "far": f"{compare}?a=he-protocol@1.0&b=small@1.0",
        "import": reverse("protocol_import"),
        "new": reverse("protocol_new"),
        "copy": reverse("protocol_new") + "?copy=he-protocol@1.0",
    }


@LOOKS
def test_pages_have_no_barriers_and_do_not_scroll_sideways(
    open_screen: Callable[..., Screen], library: None, researcher: User, width: int, scheme: str
):
    screen = open_screen(researcher, width=width, color_scheme=scheme)
    found = {}
    for name, path in addresses().items():
        screen.go(path)
        screen.keep_picture(SCREENSHOTS / f"protocols-{name}-{width}-{scheme}.png")
        if problem := problem_of(screen):
            found[name] = problem
    assert found == {}


@LOOKS
def test_answers_to_what_was_sent_have_no_barriers_either(
    open_screen: Callable[..., Screen], library: None, researcher: User, width: int, scheme: str
):
    screen = open_screen(researcher, width=width, color_scheme=scheme)
    screen.allowed += ["422", "404"]
    found = {name: problem for name, act in ANSWERS.items() if (problem := problem_after(screen, name, act))}
    assert found == {}


def problem_after(screen: Screen, name: str, act: Callable[[Screen], None]) -> str:
    act(screen)
    size = screen.page.viewport_size["width"]
    screen.keep_picture(SCREENSHOTS / f"protocols-{name}-{size}.png")
    return problem_of(screen)


def problem_of(screen: Screen) -> str:
    screen.page.evaluate(OPEN_ALL)
    is_wide = screen.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return screen.barriers() or ("scrolls sideways" if is_wide else "")


def import_text(doc: dict, button: str) -> Callable[[Screen], None]:
    def act(screen: Screen) -> None:
        page = screen.go(reverse("protocol_import"))
        page.get_by_label("Or its text").fill(write_yaml(doc))
        page.get_by_role("button", name=button).click()
        page.wait_for_load_state()

    return act


def wrong_bundle() -> dict:
    doc = copy.deepcopy(SMALL)
    doc["criteria"][0]["options"][0] |= {"role": "wrong", LONG: 1}
    return doc | {"language": "??"}


def refuse_publishing(screen: Screen) -> None:
    page = screen.go(reverse("protocol_version", args=["he-protocol", "1.2"]))
    page.get_by_label("I have read it").check()
    page.get_by_role("button", name="Publish 1.2").click()
    expect(page.get_by_role("alert").first).to_contain_text("Refused")


def forget_the_tick(screen: Screen) -> None:
    page = screen.go(reverse("protocol_version", args=["he-protocol", "1.1"]))
    page.get_by_role("button", name="Publish 1.1").click()
    expect(page.get_by_text("Tick the box to publish.")).to_be_visible()


def make_without_a_name(screen: Screen) -> None:
    screen.go(reverse("protocol_new")).get_by_role("button", name="Create the draft").click()
    expect(screen.page.get_by_role("alert")).to_be_visible()


ANSWERS: dict[str, Callable[[Screen], None]] = {
    "checked": import_text(SMALL | {"protocol": "other"}, "Check only"),
    "wrong": import_text(wrong_bundle(), "Import as draft"),
    "refused": refuse_publishing,
    "no-tick": forget_the_tick,
    "no-name": make_without_a_name,
}


@pytest.mark.journey
def test_from_a_pasted_bundle_to_a_published_version_and_a_draft_of_it(
    open_screen: Callable[..., Screen], researcher: User
):
    screen = open_screen(researcher)
    screen.allowed.append("/edit/")  # the editor has tests of its own
    import_text(SMALL, "Import as draft")(screen)
    page = screen.page
    expect(page.get_by_role("heading", level=1)).to_contain_text("Small protocol 1.0")
    page.get_by_label("I have read it").check()
    page.get_by_role("button", name="Publish 1.0").click()
    expect(page.locator("h1 .badge")).to_have_text("published")
    page.get_by_role("button", name="Create the draft").click()
    page.wait_for_load_state()
    assert ProtocolVersion.objects.get(version="1.1").parent.version == "1.0"
    screen.go(reverse("protocol_version", args=["small", "1.1"])).get_by_role("button", name="Compare").click()
    expect(page.locator("#result")).to_contain_text("Identical except")


def test_a_printed_comparison_has_both_sides_and_nothing_to_click(
    open_screen: Callable[..., Screen], library: None, researcher: User
):
    screen = open_screen(researcher)
    page = screen.go(addresses()["compare"])
    page.emulate_media(media="print")
    screen.keep_picture(SCREENSHOTS / "protocols-compare-print.png")
    expect(page.locator(".side ins").first).to_be_visible()
    for gone in (".site-header", ".crumbs", "main form"):
        expect(page.locator(gone)).to_be_hidden()


def test_an_exported_file_is_named_after_its_version(
    open_screen: Callable[..., Screen], library: None, researcher: User
):
    page = open_screen(researcher).go(reverse("protocol_version", args=["he-protocol", "1.0"]))
    with page.expect_download() as download:
        page.get_by_role("link", name="YAML", exact=True).click()
    assert download.value.suggested_filename == "he-protocol-1.0.yaml"
    assert bundle_hash(load_bundle(download.value.path())) == bundle_hash(load_bundle(BUILTIN / "he-protocol-1.0.yaml"))


def test_hostile_names_and_labels_stay_texts(open_screen: Callable[..., Screen], researcher: User):
    doc = copy.deepcopy(SMALL) | {"name": HOSTILE, "summary": HOSTILE, "guidelines": HOSTILE}
    doc["criteria"][0]["options"][0] |= {"label": HOSTILE, "definition": HOSTILE}
    version, _ = store_bundle(doc, publish=True, now=NOW)
    new_draft(version, version_name="1.1", now=NOW).criteria.update(name=f"{HOSTILE}!")
    screen = open_screen(researcher)
    for path in (reverse("protocols"), reverse("protocol_version", args=["small", "1.0"]),
                 reverse("protocol_compare") + "?a=small@1.0&b=small@1.1"):  # fmt: skip
        page = screen.go(path)
        expect(page.locator("main")).to_contain_text("<script>window.hit=1</script>")
        assert page.locator("main b, main img").count() == 0
        assert page.evaluate("window.hit") is None


def test_what_keeps_a_version_from_being_published_or_retired_is_on_screen(
    open_screen: Callable[..., Screen], researcher
):
    version = store_bundle(SMALL, publish=False, now=NOW)[0]
    screen = open_screen(researcher, width=375)
    screen.allowed.append("status of 422")
    page = screen.go(reverse("protocol_version", args=["small", version.version]))

    page.get_by_role("button", name="Publish 1.0").click()
    expect(page.get_by_text("Tick the box to publish.")).to_be_in_viewport()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Publish 1.0").click()
    expect(page.get_by_text("is published and can no longer be changed.")).to_be_in_viewport()

    page.get_by_role("button", name="Retire 1.0").click()
    expect(page.get_by_text("Tick the box to retire it.")).to_be_in_viewport()
