"""A table of anchors, in Markdown or from a spreadsheet, becomes the options of a criterion. Nothing of it is lost."""

import contextlib
import time

import pytest

from protocols.bundles import check_bundle
from protocols.tables import MOST_CHARACTERS, NoAnswers, answers_of_table
from tests.protocols.conftest import in_order

RUBRIC = r"""
| Score | Condition | Example |
| :--- | :---: | --- |
| **1 (poor)** | It is _rude_. <br /> It is off the topic.<br>It says a \| b. | *Go away!* |
| 3 (fair) | It answers in part. | |
| 5 (perfect) | Nothing is left to ask &amp; it is polite. | Sure.<br/>Down this road. |
"""


def options_of(text, **more):
    return answers_of_table(text, **more).options


def shown(text, *names):
    return in_order({"options": options_of(text, add_between=False)}, *names)


def test_a_rubric_becomes_a_scale_with_its_conditions_and_undescribed_points():
    table = answers_of_table(RUBRIC)
    assert table.scale == "ordinal"
    assert in_order({"options": table.options}, "key", "label", "value", "role") == [
        ("1", "1 (poor)", 1, "negative"),
        ("2", "2", 2, "negative"),
        ("3", "3 (fair)", 3, "neutral"),
        ("4", "4", 4, "positive"),
        ("5", "5 (perfect)", 5, "positive"),
    ]
    assert in_order({"options": table.options}, "definition", "conditions") == [
        ("Example: Go away!", ["It is rude.", "It is off the topic.", "It says a | b."]),
        ("", []),
        ("It answers in part.", []),
        ("", []),
        ("Nothing is left to ask & it is polite.\n\nExample: Sure.\nDown this road.", []),
    ]
    first, second, _roles = table.notes
    assert first == "2 cells of “Example” were added to the end of “When it fits”."
    assert second == "Points without text: 2, 4."


def test_the_options_are_those_of_a_bundle(small):
    table = answers_of_table(RUBRIC)
    small["criteria"][0] |= {"options": table.options, "scale": table.scale, "examples": []}
    assert check_bundle(small) == []


def test_points_between_are_added_only_if_they_are_wanted():
    assert [option["value"] for option in options_of(RUBRIC, add_between=False)] == [1, 3, 5]
    assert [option["value"] for option in options_of("|5|a|\n|3|b|")] == [5, 4, 3]
    assert len(options_of("|0|a|\n|1000000|b|")) == 2
    assert len(options_of("|0.5|a|\n|2.5|b|")) == 2


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1 (poor)", 1), ("5: perfect", 5), ("3 - fair", 3), ("3 – fair", 3), ("4", 4), ("2. weak", 2), ("(2) weak", 2),
        ("weak (2)", 2), ("2 = weak", 2), ("0.5", 0.5), ("0,5 poor", 0.5), ("-1", -1), ("−1 bad", -1), ("1（差）", 1),
        ("５：完美", 5), ("Appropriate", None), ("1-2", None), ("1 – 2", None), ("1/5", None), ("2nd", None),
    ],
)  # fmt: skip
def test_the_first_cell_gives_the_number_and_the_whole_label(cell, value):
    assert shown(f"| {cell} | a |\n| Other | b |", "label", "value")[0] == (cell, value)


def test_names_without_numbers_have_no_order_and_keys_of_their_own():
    table = answers_of_table("| Answer | When |\n|---|---|\n| Appropriate | a |\n| Not appropriate | b |\n| 不知道 | |")
    assert table.scale == "nominal"
    assert in_order({"options": table.options}, "key", "label", "role") == [
        ("appropriate", "Appropriate", "neutral"),
        ("not_appropriate", "Not appropriate", "neutral"),
        ("option_3", "不知道", "neutral"),
    ]


def test_a_scale_with_one_nameless_row_is_none():
    table = answers_of_table("|1|a|\n|2|b|\n|I don't know||")
    assert table.scale == "nominal"
    assert "Not every answer has a number" in table.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "| 1 | a |\n| 2 | b |",
        "1 | a\n2 | b",
        "|---|---|\n| 1 | a |\n| 2 | b |",
        "| 1 | a |\n|---|---|\n| 2 | b |",
        "| | |\n|---|---|\n| 1 | a |\n| 2 | b |",
        "| Score | Text |\n\n|---|---|\n\n| 1 | a |\n\n| 2 | b |",
        "| Score | Text |\n| 1 | a |\n| 2 | b |",
        "```\n| Score | Text |\n|:-:|-|\n| 1 | a |\n| 2 | b |\n```",
        "  | Score | Text |\r\n  |---|---|\r\n  | **1** | *a* |\r\n  | 2 | <b>b</b> |\r\n",
    ],
)
def test_tables_are_written_in_many_ways(text):
    table = answers_of_table(text)
    assert in_order({"options": table.options}, "value", "definition") == [(1, "a"), (2, "b")]
    assert not [note for note in table.notes if "left out" in note]


# --- cells copied from a spreadsheet -----------------------------------------------------------------------
CELLS = (
    'Score\tCondition\tExample\n'
    '1 (poor)\t"It is ""rude"".\nIt is off the topic."\tGo *away*!\n'
    '3 (fair)\tIt says a | b, or c_d_e.\t\n'
    '5 (perfect)\tNothing is left to ask.\tSure.\n'
)  # fmt: skip


def test_copied_cells_become_a_scale_with_what_is_in_them():
    table = answers_of_table(CELLS)
    assert table.scale == "ordinal"
    assert in_order({"options": table.options}, "label", "value", "definition", "conditions") == [
        ("1 (poor)", 1, "Example: Go *away*!", ['It is "rude".', "It is off the topic."]),
        ("2", 2, "", []),
        ("3 (fair)", 3, "It says a | b, or c_d_e.", []),
        ("4", 4, "", []),
        ("5 (perfect)", 5, "Nothing is left to ask.\n\nExample: Sure.", []),
    ]
    assert table.notes[:2] == [
        "2 cells of “Example” were added to the end of “When it fits”.",
        "Points without text: 2, 4.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1\ta\n2\tb",
        "1\ta\r\n2\tb\r\n",
        "1\ta\r2\tb\r",
        "\t1\ta\n\t2\tb",
        "1\ta\n\n\t\n2\tb\n",
        "Score\tText\n1\ta\n2\tb",
        '"1"\t"a"\n"2"\t"b"\n',
    ],
)
def test_cells_are_copied_in_many_ways(text):
    assert shown(text, "value", "definition") == [(1, "a"), (2, "b")]


def test_a_point_may_have_no_cell_beside_it():
    assert shown("1\tpoor\n2\n3\tgood", "value", "definition") == [(1, "poor"), (2, ""), (3, "good")]


def test_a_table_of_markdown_may_have_tabs():
    assert shown("|\t1\t|\ta\t|\n|\t2\t|\tb\t|", "value", "definition") == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\ta", "1 row of answers"),
        ("1\ta\n\tb", "first cell of row 2 is empty"),
        ("1\ta\n1.0\tb", "“1” appears in two rows"),
        ("a\tb\n" * 102, "102 rows of answers"),
        ("\t\n\t\n", "This is not a table"),
    ],
)
def test_copied_cells_that_are_no_scale_are_refused(text, said):
    with pytest.raises(NoAnswers, match=said) as refused:
        answers_of_table(text)
    assert "Expected:" in str(refused.value)


# --- what else a text may be ---------------------------------------------------------------------------------
def test_text_around_a_table_is_left_out_and_said_so():
    table = answers_of_table("A rubric of x | y:\n\n| 1 | a |\n| 2 | b |\n\nThat is all.")
    assert len(table.options) == 2
    assert "Text around the table was left out." in table.notes


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("- one - two", ["one", "two"]), ("• one • two", ["one", "two"]), ("one <br> - two", ["one", "two"]),
        ("<ul><li>one</li><li>two</li></ul>", ["one", "two"]), ("one&nbsp;<BR/>two", ["one", "two"]),
        ("**one <br /> two**", ["one", "two"]), (r"snake_case \*2<br>2 * 3 * 4", ["snake_case *2", "2 * 3 * 4"]),
        ("***one*** _and_ __more__<br>two", ["one and more", "two"]),
    ],
)  # fmt: skip
def test_a_cell_is_split_at_breaks_and_bullets(cell, found):
    assert options_of(f"| 1 | {cell} |\n| 2 | |")[0]["conditions"] == found


def test_a_dash_within_a_sentence_splits_nothing():
    assert options_of("| 1 | well - known |\n| 2 | |")[0]["definition"] == "well - known"


def test_examples_before_the_conditions_are_no_conditions():
    text = "| Score | Examples | When |\n|---|---|---|\n| 1 | x | a <br> b |\n| 2 | | c |"
    assert shown(text, "definition", "conditions") == [("Examples: x", ["a", "b"]), ("c", [])]


def test_cells_beyond_the_head_are_kept():
    assert shown("| S | T |\n|-|-|\n| 1 | a | more |\n| 2 |", "definition") == [("a\n\nmore",), ("",)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "This is not a table"),
        ("Just a sentence.", "This is not a table"),
        ("| Score | Text |\n|---|---|", "1 row of answers"),
        ("| 1 | a |", "1 row of answers"),
        ("| 1 | a |\n| | b |", "first cell of row 2 is empty"),
        ("| 1 | a |\n| 1.0 | b |", "“1” appears in two rows"),
        ("| A | a |\n| A | b |", "“A” appears in two rows"),
        ("| 1 | a |\n| 2 | b |\n\n| 1 | a |\n| 2 | b |", "“1” appears in two rows"),
        ("| 1 | a |\n| 2 | b |\nAnd:\n| 1 | a |\n| 2 | b |", "These are 2 tables"),
        ("| S | T |\n|-|-|\n| 1 | a |\n\n| S | T |\n|-|-|\n| 1 | a |", "These are 2 tables"),
        ("| a | b |\n" * 102, "102 rows of answers"),
        ("|" * (MOST_CHARACTERS + 1), "50001 characters"),
    ],
)
def test_what_is_no_table_is_told_with_what_was_expected(text, said):
    with pytest.raises(NoAnswers) as refused:
        answers_of_table(text)
    assert said in str(refused.value)
    assert "Expected:" in str(refused.value)


@pytest.mark.parametrize("mark", ["*a ", "_a ", "**", "<br", "\\|", "|", "- ", "(1) "])
def test_no_text_takes_long(mark):
    begin = time.process_time()
    with contextlib.suppress(NoAnswers):
        answers_of_table(f"| 1 | {mark * (20_000 // len(mark))} |\n| 2 | {mark * (20_000 // len(mark))} |")
    assert time.process_time() - begin < 5
