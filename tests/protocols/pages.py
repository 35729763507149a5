"""What tests of the protocol pages do with them."""

import re

from django.urls import NoReverseMatch, reverse

from protocols.editing import UNITS

HOSTILE = "<img src=x onerror='window.hit=1'><b>bold</b>{{ 7|add:7 }}"
ESCAPED = "&lt;img src=x onerror=&#x27;window.hit=1&#x27;&gt;&lt;b&gt;bold&lt;/b&gt;{{ 7|add:7 }}"


def address(name, version="1.0", *more, slug="small"):
    return reverse(name, args=[slug, version, *more])


def text_of(answer):
    return answer.content.decode()


def editor_of(slug, version):
    try:
        return address("protocol_edit", version, slug=slug)
    except NoReverseMatch:
        return address("protocol_version", version, slug=slug)


def send(client, action, text="", **more):
    return client.post(reverse("protocol_import"), {"action": action, "text": text, **more})


def in_the_editor(sentence: str) -> str:
    """Units by the names that the editor offers for them."""
    names = {key: f"“{name}”" for key, name in UNITS}
    return re.sub(rf"\b({'|'.join(names)})\b(?! [a-z])", lambda found: names[found[0]], sentence)
