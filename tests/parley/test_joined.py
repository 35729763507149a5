"""Files of the rating screen that are served as one."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from parley.joined import JOINED


@pytest.mark.parametrize("name", JOINED)
def test_a_joined_file_holds_each_of_its_parts_in_their_order(name: str):
    text = Path(finders.find(name)).read_text(encoding="utf-8")
    places = [text.index(Path(finders.find(part)).read_text(encoding="utf-8")) for part in JOINED[name]]
    assert places == sorted(places)


def test_the_joined_files_are_served(client: Client):
    assert b"class Active" in b"".join(client.get("/static/js/rating.js").streaming_content)
