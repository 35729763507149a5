"""Join several texts into one field of a data set. The export joins them and the import splits them."""

from collections.abc import Iterable

SEPARATOR = "#!#"
HARMLESS = "# ! #"  # replaces a separator within a text


def harmless(text: str) -> str:
    return text.replace(SEPARATOR, HARMLESS)


def joined(texts: Iterable[str]) -> str:
    return SEPARATOR.join(map(harmless, texts))
