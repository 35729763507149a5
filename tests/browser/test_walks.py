"""One walk for each design that people bring: the file, the preview, the keys, and the number on the report's page.

Each number is computed again from the file of all answers.
"""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from playwright.sync_api import Page, expect

from annotation.models import Rating
from tests.annotation.importing.conftest import builtin
from tests.browser.helpers import Screen, answer, wait_for_step
from tests.browser.rating import press, step
from tests.browser.walk import Row, Walk, counted
from tests.factories import StudyFactory
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, make_scale_version, publish

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
MESSAGES = (Path(__file__).parents[1] / "data" / "transcripts" / "messages.jsonl").read_bytes()
SYSTEMS = ("brook", "meadow")


def label(row: Row) -> list[str]:
    return [row["label"]]


def test_a_transcript_is_rated_turn_after_turn_with_the_whole_dialogue_at_its_end(open_screen: Open):
    version = VersionFactory(order="item_first")
    for place, unit in enumerate(("response", "dialogue")):
        facts = {"unit": unit, "key": unit, "name": unit.capitalize(), "scale": "ordinal", "position": place}
        criterion = CriterionFactory(version=version, **facts)
        for at, text in enumerate(("Good", "Bad")):
            OptionFactory(criterion=criterion, label=text, key=text.lower(), position=at, value=1 - at)
    walk = Walk(open_screen, StudyFactory(protocol_version=publish(version), seats=1))
    page = walk.go("study_import")
    page.get_by_label("The file is a chat log: rate its responses").check()
    page.get_by_label("Rate the whole dialogue too, at the end").check()
    shown = walk.choose_file(page, "log.jsonl", MESSAGES)
    expect(shown.locator("h3:visible")).to_have_text(["Page 1 of 3 tea:1", "Page 2 of 3 tea:2", "Page 3 of 3 tea"])
    walk.import_it(page)
    walk.make_batch(9)

    work, page = walk.begin("ann")
    keys = {"tea:1": "1", "tea:2": "0", "tea": "1", "train:1": "1", "train:2": "1", "train": "0"}
    for at, item in enumerate(work.batch.items.order_by("position").select_related("dialogue", "candidate")):
        expect(page.locator("body")).to_contain_text("as a whole" if at % 3 == 2 else f"turn {at % 3 + 1} of 2")
        judged = page.locator(".judged:visible .turn.next")
        if item.candidate:
            expect(judged).to_contain_text(item.candidate.text)
        else:
            expect(judged).to_have_count(0)
        answer(page, keys[item.dialogue.key])
    page.wait_for_url("**/submit/")

    rows = walk.exported()
    assert {(row["conversation"], row["unit"]) for row in rows} == {
        (log, unit) for log in ("tea", "train") for unit in ("response", "dialogue")
    }
    found = {(name.lower(), source): said for (name, source), said in walk.reported().items()}
    assert found == counted(rows, label)
    assert found["response", "model_a"]["votes"] == {"Good": 1, "Bad": 1}
    assert found["response", "model_b"]["mean"] == "1.00"
    assert found["dialogue", "model_b"]["votes"] == {"Bad": 1}


def test_behaviours_are_ticked_response_by_response_and_counted_by_source(open_screen: Open):
    version = builtin("abc-eval-1.1")
    walk = Walk(open_screen, StudyFactory(protocol_version=version, seats=1))
    page = walk.go("study_import")
    page.get_by_label("The file is a chat log: rate its responses").check()
    page.get_by_label("Rate the whole dialogue too, at the end").check()
    expect(walk.choose_file(page, "log.jsonl", MESSAGES).locator(".turn.next:visible")).to_have_count(2)
    walk.import_it(page)
    walk.make_batch(9)

    work, page = walk.begin("ann")
    first = work.batch.items.order_by("position")[0].source.key
    nothing = "0" * 8
    for keys in (
        nothing,
        (*"1012", "ArrowDown", "2", *"003", "ArrowDown", *"23", "ArrowDown"),
        "54321345",
    ):
        wait_for_step(page)
        expect(step(page).locator("fieldset")).to_have_count(8)
        press(page, *keys, "Enter")
    for keys in (nothing, nothing, "1" * 8):
        wait_for_step(page)
        press(page, *keys, "Enter")
    page.wait_for_url("**/submit/")

    rows = walk.exported()
    names = dict(version.criteria.values_list("name", "key"))
    labels = {
        (option.criterion.key, option.key): option.label
        for criterion in version.criteria.all()
        for option in criterion.options.select_related("criterion")
    }

    def chosen(row: Row) -> list[str]:
        keys = row["choices"].split("|") if row["choices"] else []
        return [labels[row["criterion"], key] for key in keys] or ([row["label"]] if row["label"] else [])

    found = {(names[name], source): said for (name, source), said in walk.reported().items()}
    wanted = counted(rows, chosen)
    assert {key: said["answers"] for key, said in found.items()} == {
        key: each["answers"] for key, each in wanted.items()
    }
    for key in (("empathy", "model_a"), ("turn_taking", "model_a"), ("turn_taking", "model_b")):
        assert found[key]["votes"] == wanted[key]["votes"]
    assert wanted["turn_taking", first]["votes"].keys() == {
        labels["turn_taking", key] for key in ("irrelevant", "follow_up")
    } | {"none"}
    whole = [key for key in wanted if wanted[key]["mean"] != "–"]
    assert len(whole) >= 16
    assert {key: found[key]["mean"] for key in whole} == {key: wanted[key]["mean"] for key in whole}


def test_whole_dialogues_of_two_systems_are_compared_within_their_scenarios(open_screen: Open):
    walk = Walk(open_screen, StudyFactory(protocol_version=make_scale_version(1, unit="dialogue"), seats=1))
    said = [{"role": "user", "content": "Any tea?"}, {"role": "assistant", "content": "Yes, green tea."}]
    lines = [
        {"dialogue_id": f"{system}-{at}", "model": system, "scenario": f"s{at}", "messages": said}
        for at in range(4)
        for system in SYSTEMS
    ]
    page = walk.go("study_import")
    shown = walk.choose_file(page, "dialogues.jsonl", "\n".join(map(json.dumps, lines)).encode())
    expect(shown).to_contain_text("Any tea?")
    walk.import_it(page)
    walk.make_batch(9)

    work, page = walk.begin("ann")
    for place in range(1, 9):
        wait_for_step(page)
        source = work.batch.items.get(position=place).source.key
        assert source not in page.content()
        # The digits are those on screen: 1 is the first option, "5 points".
        answer(page, str(1 + place % 2 if source == SYSTEMS[0] else 3 + place % 3))
    page.wait_for_url("**/submit/")

    rows = walk.exported()
    assert {row["scenario"] for row in rows} == {"s0", "s1", "s2", "s3"}
    found = {(name.lower(), source): each for (name, source), each in walk.reported().items()}
    wanted = counted(rows, label)
    assert found == wanted
    means = {system: sum(float(row["value"]) for row in rows if row["source"] == system) / 4 for system in SYSTEMS}
    row = walk.desk.page.get_by_role("row", name=re.compile("^brook minus meadow"))
    difference = f"{means['brook'] - means['meadow']:+.2f}".replace("-", "\N{MINUS SIGN}")
    expect(row.locator("td").first).to_contain_text(difference)


def workbook(*sheets: tuple[str, list[list[Any]]]) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def choose(page: Page, **columns: str | list[str]) -> None:
    for name, column in columns.items():
        with page.expect_response(re.compile("/preview/")):
            page.locator(f"select[name=map_{name}]").select_option(column)


def test_workbooks_with_columns_of_any_name_become_a_study_with_wide_ratings(open_screen: Open):
    walk = Walk(open_screen, StudyFactory(protocol_version=make_scale_version(2), seats=2))
    dialogues = [
        ["Fall", "Frage", "GPT", "Llama"],
        *([f"f{at}", f"What is {at}?", f"It is {at}.", "?"] for at in (1, 2, 3)),
    ]
    page = walk.go("study_import")
    shown = walk.choose_file(page, "study.xlsx", workbook(("Notes", [["by Kim"]]), ("Data", dialogues)))
    expect(shown.get_by_role("alert")).to_contain_text("has 2 sheets with content (Notes and Data)")
    with page.expect_response(re.compile("/preview/")):
        shown.get_by_label("Sheet").select_option("Data")
    choose(page, dialogue="Fall", prompt="Frage", response=["GPT", "Llama"])
    expect(walk.preview(page)).to_contain_text("What is 1?")
    expect(walk.preview(page).get_by_label("Sheet")).to_have_value("Data")
    walk.import_it(page)

    ratings = [["Fall", "System", "Wer", "Wie flüssig", "Coherence"]]
    ratings += [
        [f"f{at}", system, who, 1 + (at + len(who) + len(system)) % 5, 5 - at]
        for at in (1, 2, 3)
        for system in ("GPT", "Llama")
        for who in ("a", "bb")
    ]
    page = walk.go("study_import")
    page.get_by_label("Existing ratings").check()
    walk.choose_file(page, "ratings.xlsx", workbook(("Tabelle1", ratings)))
    choose(page, dialogue="Fall", source="System", annotator="Wer", fluency="Wie flüssig")
    walk.import_it(page)

    rows = walk.exported()
    assert len(rows) == Rating.objects.count() == 24
    found = {(name.lower(), source): each for (name, source), each in walk.reported().items()}
    assert found == counted(rows, label)
    votes = {"4 points": 2, "3 points": 2, "2 points": 2}
    assert found["coherence", "GPT"] == {"answers": 6, "votes": votes, "mean": "3.00"}
