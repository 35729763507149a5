"""New sources that may be typos are named in the preview and in the result."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.importing.new_sources import is_near
from annotation.models import Study
from tests.annotation.import_pages import GOOD, lines, send, text_after_import
from tests.annotation.importing.conftest import Write, dialogue, load, load_ratings
from tests.cast import Cast

NEAR = "The new source Falcno is named nearly like Falcon: check the spelling."
ALIKE = "The new sources Falcon and Falcno are named nearly alike: check the spelling."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Falcno", "Falcon"), ("falcon", "Falcon"), ("vicuna13b", "Vicuna-13B"), ("modle_b", "model_b"),
        ("humans", "human"), ("base", "bass"),
    ],
)  # fmt: skip
def test_names_that_differ_by_a_slip_are_near(one: str, other: str) -> None:
    assert is_near(one, other)
    assert is_near(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("model_a", "model_b"), ("gpt-4", "gpt-4o"), ("gpt-4", "gpt-5"), ("llama-7b", "llama-13b"), ("it5", "t5"),
        ("llama-3-8b", "llama-3-8b-it"), ("Falcon", "Mistral"), ("x1", "x11"),
    ],
)  # fmt: skip
def test_names_that_differ_on_purpose_are_not(one: str, other: str) -> None:
    assert not is_near(one, other)


def answers(*sources: str) -> list[dict[str, str]]:
    return [{"candidate_id": name, "source": name, "text": "So."} for name in sources]


def test_a_source_named_nearly_like_one_of_the_study_is_told(study: Study, write: Write) -> None:
    load(study, write(dialogue("a", candidates=answers("Falcon"))))
    said = load(study, write(dialogue("b", candidates=answers("Falcno"))))
    assert said.warnings == [NEAR]
    assert f"  Warning: {NEAR}" in said.as_lines()
    assert load(study, write(dialogue("b", candidates=answers("Falcno")))).warnings == []


def test_two_new_sources_named_nearly_alike_are_told_once(study: Study, write: Write) -> None:
    said = load(study, write(dialogue("a", candidates=answers("Falcon", "Falcno"))))
    assert said.warnings == [ALIKE]


def test_a_new_source_that_is_used_once_is_told_where(study: Study, write: Write) -> None:
    many = [dialogue(f"d{n}", candidates=answers("Falcon")) for n in range(3)]
    said = load(study, write(*many, dialogue("d9", candidates=answers("Falcon", "Zephyr"))))
    assert said.warnings == ["The new source Zephyr is used only once, in the dialogue d9: check its name."]


def test_a_small_file_is_not_doubted(study: Study, write: Write) -> None:
    said = load(study, write(*(dialogue(key, candidates=answers("Falcon", f"own {key}")) for key in "ab")))
    assert said.warnings == []


def test_a_source_that_ratings_create_is_told_too(coherence_study: Study, write: Write) -> None:
    rows = ["item,annotator,source,value", *(f"i{n},x,Falcon,1" for n in range(3)), "i9,x,Falcno,1"]
    said = load_ratings(coherence_study, write(*rows), create_missing=True)
    assert said.warnings == [ALIKE]


def whole(source: str, n: int) -> list[dict]:
    said = [{"speaker": "A", "text": "How are you?"}]
    return [{"dialogue_id": f"{source}-{at}", "source": source, "utterances": said} for at in range(n)]


def test_two_systems_that_are_used_about_as_often_are_named_alike_on_purpose(study: Study, write: Write) -> None:
    assert not any("nearly" in each for each in load(study, write(*whole("sysA", 8), *whole("sysB", 8))).warnings)


def test_a_rare_name_is_told_and_so_is_one_that_differs_in_case_only(study: Study, write: Write) -> None:
    said = load(
        study, write(*whole("Falcon", 20), *whole("Falcno", 2), *whole("Vicuna-13B", 5), *whole("vicuna13b", 5))
    )
    assert [each for each in said.warnings if "nearly" in each] == [
        ALIKE,
        "The new sources Vicuna-13B and vicuna13b are named nearly alike: check the spelling.",
    ]


def test_the_page_warns_before_and_after_the_import(client: Client, cast: Cast) -> None:
    client.force_login(cast.researcher)
    content = lines(GOOD | {"candidates": answers("Falcon", "Falcno")})
    assert ALIKE in send(client, content, route="study_import_preview").content.decode()
    send(client, content)
    assert ALIKE in text_after_import(client)


def test_new_sources_and_typos_are_told_beside_errors(client: Client, cast: Cast) -> None:
    client.force_login(cast.researcher)
    content = lines(GOOD | {"candidates": answers("Falcon", "Falcno")}, GOOD | {"dialogue_id": "bad", "history": []})
    before = send(client, content, route="study_import_preview").content.decode()
    send(client, content)
    after = text_after_import(client)
    for page in (before, after):
        assert "is an empty list" in page
        assert ALIKE in page
        assert "New sources: Falcon, Falcno" in page


def test_a_file_of_ratings_with_errors_has_its_sources_checked_too(client: Client, cast: Cast) -> None:
    client.force_login(cast.researcher)
    rows = "dialogue,source,annotator,criterion,value\nx,Falcon,r1,appropriateness,Appropriate\n"
    wrong = "x,Falcno,r1,appropriateness,Appropriate\nx,Falcno,r2,appropriateness,Perhaps\n"
    said = {"kind": "ratings", "create_missing": "on"}
    page = send(client, (rows + wrong).encode(), "r.csv", "study_import_preview", **said).content.decode()
    assert "Line 4, value" in page
    assert ALIKE in page
    assert "New sources: Falcon, Falcno" in page
    assert not cast.study.sources.filter(key="Falcno").exists()


def test_the_command_warns_of_typos_beside_errors(
    study: Study, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    load(study, write(dialogue("a", candidates=answers("Falcon"))))
    path = write(dialogue("b", candidates=answers("Falcno")), dialogue("c", history=[]))
    with pytest.raises(CommandError, match="1 error"):
        call_command("import_dialogues", study.slug, str(path))
    assert f"Warning: {NEAR}" in capsys.readouterr().err
