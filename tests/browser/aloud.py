"""What a screen reader says of a page: roles, names and descriptions from Chromium's accessibility tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from playwright.sync_api import CDPSession

STATES = ("checked", "disabled", "invalid", "level", "live")


@dataclass
class Heard:
    """One thing that is said, with what stands inside it."""

    role: str
    name: str = ""
    description: str = ""
    states: dict[str, object] = field(default_factory=dict)
    inside: list[Heard] = field(default_factory=list)

    def __iter__(self) -> Iterator[Heard]:
        """All that stands inside, in the order in which it is read."""
        for each in self.inside:
            yield each
            yield from each

    def all(self, *roles: str, name: str | None = None) -> list[Heard]:
        return [each for each in self if each.role in roles and name in (None, each.name)]

    def one(self, role: str, name: str | None = None) -> Heard:
        found = self.all(role, name=name)
        assert len(found) == 1, f"{len(found)} times {role} {name}, among {[str(each) for each in self.all(role)]}"
        return found[0]

    @property
    def words(self) -> str:
        return plain(" ".join(each.name for each in self if each.role == "StaticText"))

    def __str__(self) -> str:
        return f"{self.role} “{self.name}”"


class Reader:
    """A screen reader beside a page, through what is said to its browser."""

    def __init__(self, cdp: CDPSession) -> None:
        self.cdp = cdp
        self.cdp.send("Accessibility.enable")

    def page(self) -> Heard:
        nodes = {node["nodeId"]: node for node in self.cdp.send("Accessibility.getFullAXTree")["nodes"]}
        root = next(node for node in nodes.values() if not node.get("parentId"))
        return Heard("page", inside=_inside(root, nodes))

    def focused(self) -> Heard:
        """What has the focus; the role is empty where nothing is there for a screen reader."""
        element = self.cdp.send("Runtime.evaluate", {"expression": "document.activeElement"})["result"]
        asked = {"objectId": element["objectId"], "fetchRelatives": False}
        [node] = self.cdp.send("Accessibility.getPartialAXTree", asked)["nodes"]
        return _heard(node) if not node["ignored"] else Heard("")


def plain(text: str) -> str:
    return " ".join(text.split())


def _heard(node: dict) -> Heard:
    said = [plain(str(node.get(what, {}).get("value", ""))) for what in ("role", "name", "description")]
    properties = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
    return Heard(*said, {name: value for name, value in properties.items() if name in STATES})


def _inside(node: dict, nodes: dict[str, dict]) -> list[Heard]:
    """What is ignored passes on what stands inside it."""
    found = []
    for child in (nodes[each] for each in node.get("childIds", []) if each in nodes):
        inside = _inside(child, nodes)
        if child["ignored"]:
            found += inside
            continue
        heard = _heard(child)
        heard.inside = inside
        found.append(heard)
    return found
