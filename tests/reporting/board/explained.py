"""Reads a board as somebody does who asks every number what it is. Knows no names of figures, only where they stand."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.urls import reverse

from tests.cast import Cast

CELLS = {"td", "dd", "li"}
# Not numbers of their own: the chooser, links to other pages, pictures of the same numbers, names, the drawn bar.
ASIDE = {"form", "nav", "svg", "progress", "script", "option"}
VOID = {"input", "br", "link", "meta", "img", "path", "rect", "line", "circle", "polyline", "polygon"}
NAMES = {"seat-name", "badge"}


@dataclass
class Button:
    described_by: str
    text: str = ""


@dataclass
class Board:
    """`loose`: texts of cells with a digit or a dash that no button explains; `ids` as they come, twice or not."""

    buttons: list[Button] = field(default_factory=list)
    explanations: dict[str, str] = field(default_factory=dict)
    loose: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def why(self, button: Button) -> str:
        return self.explanations.get(button.described_by, "").strip()


def read_board(html: str) -> Board:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.board


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.board = Board()
        self._open: list[tuple[str, str, dict[str, str | None]]] = []  # (tag, what it is, attributes)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.board.ids.append(str(found["id"]))
        if tag in VOID:
            return
        classes = set(str(found.get("class") or "").split())
        what = "cell" if tag in CELLS else "aside" if tag in ASIDE or classes & NAMES else ""
        if tag == "button" and "figure" in classes:
            what = "button"
            self.board.buttons.append(Button(str(found.get("aria-describedby"))))
        elif found.get("role") == "tooltip":
            what = "why"
            self.board.explanations[str(found.get("id"))] = ""
        self._open.append((tag, what, found))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        inside = [what for _tag, what, _found in self._open]
        if "why" in inside:
            place = inside.index("why")
            self.board.explanations[str(self._open[place][2]["id"])] += data
        elif "button" in inside:
            self.board.buttons[-1].text += data
        elif "cell" in inside and "aside" not in inside and any(letter.isdigit() or letter == "–" for letter in data):
            self.board.loose.append(data.strip())


def read(client, cast: Cast, route: str, **query: str) -> Board:
    client.force_login(cast.lead)
    html = client.get(reverse(route, args=[cast.study.slug]), query).content.decode()
    return read_board(html)


def assert_explained(board: Board) -> None:
    assert not board.loose
    assert len(board.ids) == len(set(board.ids))
    for button in board.buttons:
        lines = board.why(button).splitlines()
        assert len(lines) >= 2, button
        assert not re.search(r"\b(nan|None|inf)\b|%\(", board.why(button)), button
