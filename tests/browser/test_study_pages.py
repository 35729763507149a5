"""Every page of a study and of an account: nothing in the way of anybody, on a phone and in the dark as well."""

import gzip
import random
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import ImportJob
from protocols.services import store_bundle
from tests.browser.helpers import LOOKS, Screen
from tests.cast import Cast, make_cast
from tests.factories import HeartbeatFactory, ImportJobFactory, StudyFactory, make_batch
from tests.shipped import bundle_of

pytestmark = pytest.mark.django_db(transaction=True)
HISTORY = b'"history": [{"speaker": "A", "text": "Hi"}]'
DIALOGUE = b'{"dialogue_id": "d1", %b, "candidates": [{"source": "m", "text": "Yo"}]}' % HISTORY
OPEN_ALL = """() => document.querySelectorAll("details").forEach((each) => {
  each.removeAttribute("name");
  each.open = true;
})"""
OF_STUDY = ("study", "study_settings", "study_import", "study_batches", "study_people")
OF_ACCOUNT = ("studies", "study_new", "account_email", "account_change_password", "mfa_index", "account_logout")
OF_ANYBODY = ("home", "account_login", "account_signup", "account_reset_password")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    cast = make_cast()
    User.objects.filter(pk=cast.owner.pk).update(is_staff=True)
    make_batch(cast.study, position=1, status="draft")
    cast.study.participants.filter(pk=cast.annotator.pk).update(status="pending")
    HeartbeatFactory()
    return cast


def failed_import(cast: Cast) -> ImportJob:
    errors = [{"line": 3, "field": "history", "reason": "is an empty list"}]
    return ImportJobFactory(study=cast.study, status="failed", errors=errors, n_errors=1)


def test_a_study_is_closed_only_after_a_question(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.owner).go(reverse("study", args=[cast.study.slug]))
    confirm = page.get_by_role("button", name="Close it now")
    expect(confirm).to_be_hidden()
    page.get_by_text("Close the study", exact=True).click()
    expect(
        page.get_by_text("Nobody can rate while the study is closed. You can reopen it at any time.")
    ).to_be_visible()
    confirm.click()
    expect(page.get_by_role("button", name="Reopen the study")).to_be_visible()


@LOOKS
def test_pages_have_no_barriers_and_do_not_scroll_sideways(
    open_screen: Callable[..., Screen], cast: Cast, width: int, scheme: str
):
    empty = StudyFactory(status="draft", protocol_version=cast.version)
    empty.memberships.create(user=cast.owner, role="owner")
    job = failed_import(cast)
    paths = [reverse(name, args=[study.slug]) for name in OF_STUDY for study in (cast.study, empty)]
    paths += [reverse(name) for name in OF_ACCOUNT]
    paths.append(reverse("study_import_job", args=[cast.study.slug, job.token]))

    found = barriers_on(open_screen(cast.owner, width=width, color_scheme=scheme), paths)
    found |= barriers_on(open_screen(width=width, color_scheme=scheme), [reverse(name) for name in OF_ANYBODY])

    assert found == {}


def barriers_on(screen: Screen, paths: list[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        page = screen.go(path)
        page.evaluate(OPEN_ALL)
        is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        if problem := screen.barriers() or ("scrolls sideways" if is_wide else ""):
            found[path] = problem
    return found


@pytest.mark.journey
def test_a_chosen_file_is_previewed_before_it_is_sent(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.researcher).go(reverse("study_import", args=[cast.study.slug]))

    page.set_input_files("[name=file]", {"name": "d.jsonl", "mimeType": "application/json", "buffer": DIALOGUE})

    page.get_by_text("jsonl-history", exact=True).wait_for()
    assert not ImportJob.objects.exists()


@pytest.mark.parametrize("width", [1280, 375])
def test_the_preview_shows_the_responses_too(open_screen: Callable[..., Screen], cast: Cast, width: int):
    page = open_screen(cast.researcher, width=width).go(reverse("study_import", args=[cast.study.slug]))
    page.set_input_files("[name=file]", {"name": "d.jsonl", "mimeType": "application/json", "buffer": DIALOGUE})

    response = page.locator(".preview-dialogue .next").first
    expect(response).to_contain_text("Yo")
    box = response.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_columns_that_are_not_recognised_are_chosen_beside_the_preview(open_screen: Callable[..., Screen], cast: Cast):
    screen = open_screen(cast.researcher)
    page = screen.go(reverse("study_import", args=[cast.study.slug]))
    table = "id,q,GPT,human\nd1,How was it?,Long.,Hard.\n".encode("utf-16")
    page.set_input_files("[name=file]", {"name": "d.txt", "mimeType": "text/plain", "buffer": table})
    lists = page.get_by_role("group", name="Columns")
    expect(page.locator(".preview .field-error")).to_contain_text("no column with the dialogue so far")
    expect(lists.get_by_label("Dialogue", exact=True)).to_have_value("id")

    lists.get_by_label("Prompt (last turn)").focus()
    lists.get_by_label("Prompt (last turn)").select_option("q")
    expect(page.locator(".preview .field-error")).to_contain_text("choose the column of “Response”")
    expect(lists.get_by_label("Prompt (last turn)")).to_be_focused()
    lists.get_by_label("Response (needed)", exact=True).select_option(["GPT", "human"])
    expect(page.locator(".preview-dialogue .next")).to_have_count(2)
    expect(page.locator(".preview-dialogue .next").first).to_contain_text("Long.")
    assert not screen.barriers()

    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Waiting for a worker").wait_for()
    columns = {"dialogue": "id", "prompt": "q", "response": "GPT|human"}
    assert ImportJob.objects.get().options == {"columns": columns}


def test_rows_with_the_same_fault_are_one_error_and_what_it_says_to_tick_is_in_sight(
    open_screen: Callable[..., Screen], cast: Cast
):
    page = open_screen(cast.researcher).go(reverse("study_import", args=[cast.study.slug]))
    page.get_by_label("Existing ratings").check()
    box = page.get_by_label("Create what is missing")
    expect(box).to_be_hidden()
    rows = "".join(f"d{at // 3},model,ann{at % 3},appropriateness,Appropriate\n" for at in range(300))
    table = ("dialogue,source,annotator,criterion,value\n" + rows).encode()
    page.set_input_files("[name=file]", {"name": "r.csv", "mimeType": "text/csv", "buffer": table})
    expect(page.locator(".preview .field-error")).to_have_text(
        "Lines 2, 3, 4, 5, 6, … (300 rows), dialogue: for example, 'd0' is not in the study: import it first, or tick "
        "“Create what is missing”"
    )
    expect(box).to_be_visible()


def test_only_the_beginning_of_a_large_file_is_sent_for_the_preview(open_screen: Callable[..., Screen], cast: Cast):
    screen = open_screen(cast.researcher)
    page = screen.go(reverse("study_import", args=[cast.study.slug]))
    sizes: list[int] = []
    screen.listen("request", lambda request: sizes.append(len(request.post_data_buffer or b"")))

    large = DIALOGUE + b"\n" + b'{"half": "' + b"x" * 2_000_000 + b'"}\n'
    page.set_input_files("[name=file]", {"name": "d.jsonl", "mimeType": "application/json", "buffer": large})

    page.get_by_text("jsonl-history", exact=True).wait_for()
    assert page.locator(".preview .field-error").count() == 0
    assert max(sizes) < 300_000


def test_a_packed_file_too_large_for_a_preview_is_not_called_damaged(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.owner).go(reverse("study_import", args=["wellbeing"]))
    large = gzip.compress(random.Random(7).randbytes(6 * 1024 * 1024), 1)  # noise stays large
    page.set_input_files("[name=file]", {"name": "d.jsonl.gz", "mimeType": "application/gzip", "buffer": large})
    expect(page.locator("[data-preview-here]")).to_contain_text("No preview is available for this file")


def test_progress_of_an_import_is_shown_without_a_reload(open_screen: Callable[..., Screen], cast: Cast):
    job = ImportJobFactory(study=cast.study)
    page = open_screen(cast.researcher).go(reverse("study_import_job", args=[cast.study.slug, job.token]))
    page.get_by_text("Waiting for a worker").wait_for()

    ImportJob.objects.update(status="running", n_done=30, n_total=120, phase="reading")
    page.get_by_text("25 %").first.wait_for()
    ImportJob.objects.update(status="done", summary={"counts": {"dialogues_new": 7}})
    page.get_by_text("Imported.").wait_for()


def test_fields_that_do_not_matter_are_out_of_the_way(open_screen: Callable[..., Screen], cast: Cast):
    cast.study.dialogues.create(key="new", position=9, digest="0" * 64)
    page = open_screen(cast.researcher).go(reverse("study_batches", args=[cast.study.slug]))
    page.get_by_text("Make batches").first.click()
    field, size = page.locator("select[name=field]"), page.get_by_label("Dialogues per batch")

    page.get_by_label("In batches of equal size, balanced").check()
    assert (field.is_visible(), size.is_visible()) == (True, True)
    page.get_by_label("By the batch column").check()
    assert (field.is_visible(), size.is_visible()) == (False, False)


def test_the_protocol_that_is_chosen_for_a_new_study_says_what_it_is(open_screen: Callable[..., Screen], cast: Cast):
    duel = store_bundle(bundle_of("acute-eval-1.0-dialogues"), publish=True, now=timezone.now())[0]
    ssa = store_bundle(bundle_of("ssa-1.0"), publish=True, now=timezone.now())[0]
    page = open_screen(cast.owner).go(reverse("study_new"))
    described = page.locator("[data-when]:visible")
    expect(described).to_have_count(0)
    for version in (duel, ssa):
        page.get_by_label("Protocol").select_option(str(version.pk))
        expect(described).to_have_text([f"{version.protocol.name} {version.version} {version.summary}"])
