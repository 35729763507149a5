"""How a data set writes several texts into one field: what the export joins, the import takes apart."""

from collections.abc import Iterable

SEPARATOR = "#!#"
HARMLESS = "# ! #"  # what a separator within a text becomes


def harmless(text: str) -> str:
    return text.replace(SEPARATOR, HARMLESS)


def joined(texts: Iterable[str]) -> str:
    return SEPARATOR.join(map(harmless, texts))
