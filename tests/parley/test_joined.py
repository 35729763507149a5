"""Files of the rating screen that are served as one."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from parley.joined import JOINED, shortened


def text_of(name: str) -> str:
    return Path(finders.find(name)).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", JOINED)
def test_a_joined_file_holds_each_of_its_parts_in_their_order(name: str):
    assert text_of(name) == "\n".join(shortened(text_of(part)) for part in JOINED[name])


def test_a_joined_style_sheet_loses_comments_and_indentation_only():
    style = "/* Two\n   lines. */\na {\n  margin: 0; /* kept */\n}\n\n  /* one */\n/* b */ b { top: 0; }\n/* two */\n"
    assert shortened(style) == "a {\nmargin: 0; /* kept */\n}\n/* b */ b { top: 0; }"


def test_a_joined_script_loses_comments_and_indentation_only():
    script = '// What it is.\nconst one = () => {\n  // inside\n  return "// no comment"; // after\n};\n'
    assert shortened(script) == 'const one = () => {\nreturn "// no comment"; // after\n};'


@pytest.mark.parametrize("part", sorted({part for parts in JOINED.values() for part in parts}))
def test_no_part_has_a_text_over_several_lines_that_indentation_would_belong_to(part: str):
    lines = text_of(part).splitlines()
    assert [line for line in lines if line.count("`") % 2 or line.endswith("\\")] == []
    assert not re.search(r"^\s*/\*[^*]*$", text_of(part), re.MULTILINE) or part.endswith(".css")


def test_the_joined_files_are_served(client: Client):
    assert b"class Active" in b"".join(client.get("/static/js/rating.js").streaming_content)
