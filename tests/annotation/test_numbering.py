"""Turns are numbered per side, and who asks is told by the import or by names, never by who speaks first."""

import pytest

from annotation.numbering import asker_of, numbered_turns


def turns(*speakers: str) -> list[dict]:
    return [{"speaker": speaker, "text": f"Turn {at}."} for at, speaker in enumerate(speakers)]


def labels(asker: str, *speakers: str) -> str:
    return " ".join(turn["label"] or "-" for turn in numbered_turns(turns(*speakers), asker))


@pytest.mark.parametrize(
    ("speakers", "asker"),
    [
        (("user", "assistant"), "user"),
        (("assistant", "user", "assistant"), "user"),
        (("system", "assistant", "user"), "user"),
        (("A", "Q", "A"), "Q"),
        (("Agent", "Customer"), "Customer"),
        (("答：", "问："), "问："),
        (("bot", "Anna"), "Anna"),
        (("A", "B", "A"), "A"),
        (("S2", "S1"), "S2"),
        (("prompt",), "prompt"),
        (("assistant", "assistant"), ""),
        ((), ""),
    ],
)
def test_the_names_of_the_speakers_tell_who_asks_and_else_the_first_does(speakers, asker):
    assert asker_of(turns(*speakers)) == asker


@pytest.mark.parametrize(
    ("asker", "speakers", "expected"),
    [
        ("Q", ("Q", "A", "A", "Q"), "Q1 A1 A2 Q2"),
        ("Q", ("A", "Q", "A", "A", "Q", "A"), "A1 Q1 A2 A3 Q2 A4"),
        ("B", ("A", "B", "A"), "A1 Q1 A2"),
        ("user", ("system", "user", "assistant", "tool", "assistant"), "- Q1 A1 - A2"),
        ("user", ("system", "user"), "- Q1"),
        ("user", ("user", "system", "user", "system"), "Q1 A1 Q2 A2"),
        ("user", ("system", "user", "system"), "A1 Q1 A2"),
        ("user", ("user", "tool", "tool"), "Q1 - -"),
        ("", ("user", "assistant"), "Q1 A1"),
        ("", ("assistant", "assistant"), "A1 A2"),
    ],
)
def test_turns_are_numbered_per_side_and_context_has_no_number(asker, speakers, expected):
    assert labels(asker, *speakers) == expected


def test_marks_count_all_turns_whatever_side_they_are_of():
    numbered = numbered_turns(turns("system", "user", "assistant"), "user")
    assert [(turn["number"], turn["side"]) for turn in numbered] == [(1, ""), (2, "Q"), (3, "A")]


def test_tools_are_folded_and_nobody_else():
    numbered = numbered_turns(turns("system", "user", "tool", "function", "assistant"), "user")
    assert [turn["is_folded"] for turn in numbered] == [False, False, True, True, False]
