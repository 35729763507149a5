import pytest

from annotation.texts import looks_like_markdown


@pytest.mark.parametrize(
    "text",
    [
        "# Title",
        "so **bold** it is",
        "```\na\n```",
        "use `x`",
        "[a](https://b.c)",
        "- a\n- b",
        "1. a\n2. b",
        "|a|b|\n|---|---|",
    ],
)
def test_texts_with_marks_look_like_markdown(text: str):
    assert looks_like_markdown(text)


@pytest.mark.parametrize(
    "text", ["Hello!", "- what?", "5 * 3 * 2 = 30", "#1 is best", "a - b - c", "*sigh*", "snake_case"]
)
def test_plain_talk_does_not(text: str):
    assert not looks_like_markdown(text)
