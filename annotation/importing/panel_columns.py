"""Find the columns of a table that hold context panels, and read their cells."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.cell_turns import list_in
from annotation.importing.columns import NONE, SEVERAL, named, place_of
from annotation.importing.fields import Record, clean_text
from annotation.importing.outcome import BadField
from annotation.importing.remedies import choose_columns, name_source_of_panels
from annotation.importing.shapes import DialogueOptions, context_in

OF_DIALOGUE, OF_RESPONSE = "context", "response_context"
PANEL_FIELDS = (OF_DIALOGUE, OF_RESPONSE)
PERSONA = "persona"
CALLED = (PERSONA, "personas", OF_DIALOGUE)  # columns of these names become panels without a map
NAMED = ":"  # in a map, between a column and the source whose response it belongs to
MARKS = " _.:-"
UNTITLED = "Context"


@dataclass(frozen=True, slots=True)
class PanelColumn:
    """A column with the title of its panels. `source` is whose response it belongs to, if the table has several.

    `is_asked` says that its name does not tell the source; the source is empty as long as nobody has named it.
    """

    at: int
    title: str
    source: str = ""
    is_asked: bool = False

    def as_said(self, columns: list[str]) -> str:
        """Return the column as a map names it, with the source that its own name does not tell."""
        return f"{columns[self.at]}{NAMED}{self.source}" if self.is_asked and self.source else columns[self.at]


@dataclass(frozen=True, slots=True)
class Panels:
    """The columns of panels. Those `called` like one are beside the dialogue or above the response, as the rows tell.

    Columns that are `left_out` are called so too, and the map says that the table has none.
    """

    of_dialogue: tuple[PanelColumn, ...] = ()
    of_response: tuple[PanelColumn, ...] = ()
    called: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    @property
    def places(self) -> set[int]:
        return {*self._told, *self.called}

    @property
    def read_here(self) -> set[int]:
        """Return the columns that are not metadata: panels are taken out of the metadata if they are called so."""
        return {*self._told, *self.left_out}

    @property
    def _told(self) -> set[int]:
        return {each.at for each in (*self.of_dialogue, *self.of_response)}

    def with_called(self, columns: list[str], taken: Iterable[int]) -> "Panels":
        """Return the panels with the columns that are called like one, if nothing else is read from them."""
        found = {at for at, name in enumerate(columns) if _is_called_so(name)} - {*taken} - self.read_here
        return replace(self, called=tuple(sorted({*self.called, *found})))

    def above(self, source: str) -> list[PanelColumn]:
        """Return the columns of one source's responses; all of them if the table has a column of responses."""
        return [each for each in self.of_response if each.source in ("", source)]

    def without_responses(self) -> "Panels":
        return replace(self, of_response=())

    def as_mapping(self, columns: list[str]) -> dict[str, str]:
        beside = [*self.of_dialogue, *(PanelColumn(at, "") for at in self.called)]
        said = {OF_DIALOGUE: sorted(beside, key=lambda each: each.at), OF_RESPONSE: self.of_response}
        return {name: SEVERAL.join(each.as_said(columns) for each in found) for name, found in said.items() if found}

    def asked(self, columns: list[str]) -> list[tuple[str, str]]:
        """Return the columns whose names do not tell whose response they belong to, with the source that was named."""
        return [(columns[each.at], each.source) for each in self.of_response if each.is_asked]

    def refuse_unclear(self, columns: list[str]) -> None:
        """Raise BadField for a column of panels if it is not known whose response it belongs to."""
        unclear = [columns[each.at] for each in self.of_response if each.is_asked and not each.source]
        if unclear:
            text = _("it is not known whose response this is about: %(columns)s")
            raise BadField(OF_RESPONSE, text % {"columns": named(unclear)}, name_source_of_panels())


def panels_of(columns: list[str], wanted: Mapping[str, str], responses: Mapping[str, int]) -> Panels:
    """Return the columns that are wanted as panels. `responses` are the columns of responses by source, if several."""
    names = {source: _names_of(source, columns[at]) for source, at in responses.items()}
    cores = _without_shared(list(responses))
    names = {source: [*found, *cores.get(source, [])] for source, found in names.items()}
    dialogue = [PanelColumn(at, _titled(columns[at])) for at, _source in _said(columns, wanted.get(OF_DIALOGUE, ""))]
    for each in dialogue:
        if _source_in(columns[each.at], names):
            text = _("the column %(column)r is called like a source, and annotators would see it as the title")
            reason = text % {"column": columns[each.at]}
            raise BadField(OF_DIALOGUE, reason, choose_columns(OF_RESPONSE))
    found = [_of_response(columns, at, told, names) for at, told in _said(columns, wanted.get(OF_RESPONSE, ""))]
    above = tuple(_alike(found, columns) if responses else found)
    called = tuple(each.at for each in dialogue if _is_called_so(columns[each.at]))
    left_out = [at for at, name in enumerate(columns) if _is_called_so(name)] if wanted.get(OF_DIALOGUE) == NONE else []
    return Panels(
        tuple(each for each in dialogue if each.at not in called),
        above,
        called,
        tuple(at for at in left_out if at not in {each.at for each in above}),
    )


def _is_called_so(name: str) -> bool:
    return name.casefold() in CALLED


def _said(columns: list[str], said: str) -> list[tuple[int, str]]:
    """Return (place, source that the map names) of each column, in the order of the map."""
    found: dict[int, str] = {}
    for part in filter(None, (part.strip() for part in said.split(SEVERAL))):
        if part == NONE:
            continue
        column, colon, source = part.rpartition(NAMED)
        is_whole = not colon or part.casefold() in (name.casefold() for name in columns)
        at = place_of(part if is_whole else column.strip(), columns)
        if not is_whole:
            found[at] = source.strip()
        found.setdefault(at, "")
    return list(found.items())


def _of_response(columns: list[str], at: int, told: str, names: Mapping[str, list[str]]) -> PanelColumn:
    if not names:
        return PanelColumn(at, _titled(columns[at]))
    if told and told not in names:
        text = _("%(name)r is not a source of this table: use %(known)s")
        raise BadField(OF_RESPONSE, text % {"name": told, "known": ", ".join(names)})
    source, name = _source_in(columns[at], names) or ("", "")
    rest = re.sub(_whole(name), " ", columns[at], flags=re.IGNORECASE) if name else ""
    return PanelColumn(at, _titled(rest), told or source, is_asked=not source)


def _source_in(column: str, names: Mapping[str, list[str]]) -> tuple[str, str] | None:
    """Return (source, its name) if the column's name contains one: the longest, so that gpt-4o is not gpt-4."""
    found = [
        (len(name), source, name)
        for source, known in names.items()
        for name in known
        if re.search(_whole(name), column, re.IGNORECASE)
    ]
    longest = [each for each in found if each[0] == max(found)[0]]
    sources = {source for _n, source, _name in longest}
    return longest[0][1:] if len(sources) == 1 else None


def _whole(name: str) -> str:
    """Return the pattern of a name that is no part of another word."""
    return rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"


def _names_of(source: str, column: str) -> list[str]:
    return list(dict.fromkeys((source, column)))


def _without_shared(sources: list[str]) -> dict[str, list[str]]:
    """Return what tells the sources apart: of answer_north and answer_south, north and south."""
    if len(sources) < 2:
        return {}
    shared = re.match(r".*[ _.:-]|", _shared_beginning(sources))
    n = shared.end() if shared else 0
    return {source: [source[n:]] for source in sources if source[n:]} if n else {}


def _shared_beginning(names: Sequence[str]) -> str:
    alike = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike)


def _titled(name: str) -> str:
    title = " ".join(name.replace("_", " ").split()).strip(MARKS)
    return title[:1].upper() + title[1:] or UNTITLED


def _alike(found: Iterable[PanelColumn], columns: list[str]) -> list[PanelColumn]:
    """Give columns whose names do not tell the source one title: a number of its own would tell systems apart."""
    found = list(found)
    asked = [columns[each.at] for each in found if each.is_asked]
    shared = _shared_beginning(asked) if len(asked) > 1 else ""
    title = _titled(re.sub(r"[\d\s_.:-]+$", "", shared))
    return [replace(each, title=title) if each.is_asked else each for each in found]


def read_panels(columns: Iterable[PanelColumn], values: list[str], options: DialogueOptions) -> list[Record]:
    """Return the panels of the cells: of a list as JSON those in it, otherwise one. Raise BadField."""
    return [panel for each in columns for panel in _in_cell(values[each.at], each.title, options)]


def _in_cell(cell: str, title: str, options: DialogueOptions) -> list[Record]:
    return _panels(cell, list_in(cell, title) or [], title, options) if cell.strip() else []


def _panels(cell: str, listed: list[Any], title: str, options: DialogueOptions) -> list[Record]:
    if panels := context_in({OF_DIALOGUE: listed}, "", options):
        return panels
    text = "\n".join(listed) if _are_texts(listed) else cell
    return [{"title": title, "text": clean_text(text, title, is_unescaping=options.unescape_newlines)}]


def _listed(cell: str, name: str) -> list[Any]:
    """Return the list in a cell of an unmapped column; an empty one if there is none, also if it only begins so."""
    with suppress(BadField):
        return list_in(cell, name) or []
    return []


def other_value(name: str, cell: str) -> Any:
    """Return what a cell of an unmapped column holds: a list if it is called like panels of objects and holds some."""
    if name not in (OF_DIALOGUE, PERSONA):
        return cell
    listed = _listed(cell, name)
    are_panels = bool(listed) and all(type(each) is dict for each in listed)
    return listed if (name == OF_DIALOGUE and are_panels) or (name == PERSONA and _are_texts(listed)) else cell


def taken_panels(metadata: Record, options: DialogueOptions) -> list[Record]:
    """Take the panels out of the metadata of a dialogue, and return them. Facts in `persona` stay there."""
    panels = context_in(metadata, "", options)
    if panels:
        del metadata[OF_DIALOGUE]
    for name in [name for name, value in metadata.items() if _is_called_so(name) and type(value) is str]:
        if metadata[name].strip() in ("", "[]"):
            continue
        cell = metadata.pop(name)
        panels += _panels(cell, _listed(cell, name), _titled(name), options)
    return panels


def taken_above(metadata: Record, options: DialogueOptions) -> list[Record]:
    """Take the panels out of the metadata of a response, and return them. A persona of its own is one of them."""
    panels = taken_panels(metadata, options)
    if type(metadata.get(PERSONA)) is list:
        panels.append({"title": _titled(PERSONA), "text": "\n".join(metadata.pop(PERSONA))})
    return panels


def _are_texts(listed: list[Any]) -> bool:
    return bool(listed) and all(type(each) is str for each in listed)
