"""Citations in the texts of a paper: of the methods that they name, of the protocol and of Parley."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from reporting.report.build import Report
from reporting.report.latex_table import escaped

REFERENCES = Path(__file__).with_name("references.bib")
PARLEY, PROTOCOL = "parley", "protocol"
KEY = re.compile(r"\{(\w+),")
FIRST_AUTHOR = re.compile(r"author = \{\{?([^,}]+)")
SECOND_AUTHOR = re.compile(r"author = .*? and ([^,}]+),")
YEAR = re.compile(r"year = \{(\d+)\}")
# A citation, from its first author to its year: "Baayen, Davidson and Bates 2008" names nothing of Davidson's.
CITED = re.compile(
    r"((?:Al |de )?[A-Z][A-Za-zé]+)(?:, [A-Z][a-zé]+)*(?: and (?:van )?[A-Z][a-zé]+)? \(?((?:19|20)\d\d)\b"
)
IN_BRACKETS = re.compile(rf"\({CITED.pattern}\)")


def references_of(text: str) -> str:
    """Return the entries that the text cites, or whose method it names, as in "Holm's method"."""
    head = REFERENCES.read_text(encoding="utf-8").splitlines(keepends=True)[0]
    return head + "".join(entry for entry in _entries() if _is_named(entry, text))


def own_references(report: Report) -> Iterator[str]:
    """Yield the entries of Parley and, if the protocol names it, of the publication that the protocol follows."""
    version = report.versions.parley
    yield f"@misc{{{PARLEY}, title = {{Parley}}, key = {{Parley}}, note = {{Version {version}}}}}\n"
    if report.protocol.citation:
        yield f"@misc{{{PROTOCOL}, key = {{Protocol}}, note = {{{escaped(report.protocol.citation)}}}}}\n"


def with_citations(text: str, report: Report) -> str:
    r"""Return an escaped text with \cite: instead of names in brackets, and after the first mention of a method."""
    keys = {_author_and_year(entry): KEY.findall(entry)[0] for entry in _entries()}

    def cite(found: re.Match[str]) -> str:
        key = keys.get((found[1], found[2]))
        return rf"\cite{{{key}}}" if key else found[0]

    text = IN_BRACKETS.sub(cite, text)
    for entry in _entries():
        key = KEY.findall(entry)[0]
        if rf"\cite{{{key}}}" not in text:
            name = rf"(\b{re.escape(_method(entry))}s?(?: \(\d{{4}}\))?(?: [a-z]+\b)?)"
            text = re.sub(name, rf"\1~\\cite{{{key}}}", text, count=1)
    own = {f"the protocol {escaped(report.protocol.slug)}": PROTOCOL if report.protocol.citation else ""}
    own[f"Parley {escaped(report.versions.parley)}"] = PARLEY
    for name, key in own.items():
        text = text.replace(name, rf"{name}~\cite{{{key}}}", 1) if key else text
    return text


@cache
def _entries() -> list[str]:
    return REFERENCES.read_text(encoding="utf-8").splitlines(keepends=True)[1:]


def _is_named(entry: str, text: str) -> bool:
    return _author_and_year(entry) in {*CITED.findall(text)} or _method(entry) in text


def _author_and_year(entry: str) -> tuple[str, str]:
    return FIRST_AUTHOR.findall(entry)[0], YEAR.findall(entry)[0]


def _method(entry: str) -> str:
    """Return how a method is named after its authors: "Holm'" of one, "Bradley-Terry" of several."""
    second = SECOND_AUTHOR.findall(entry)
    return f"{FIRST_AUTHOR.findall(entry)[0]}-{second[0]}" if second else f"{FIRST_AUTHOR.findall(entry)[0]}'"
