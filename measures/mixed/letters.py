"""Compact letters: sources that share a letter are not told apart, and those that share none differ.

Source: Piepho 2004, J. Comput. Graph. Stat. 13:456 (insert and absorb).
"""

import string
from collections.abc import Collection, Sequence


def compact_letters(order: Sequence[int], different: Collection[tuple[int, int]]) -> dict[int, str] | None:
    """Return {source: letters}, or None if the alphabet is too short.

    Parameters
    ----------
    order : sequence of int
        The sources, with the one that is to have the first letter in front.
    different : collection of pairs of sources
    """
    columns = [frozenset(order)]
    for first, second in different:
        split = [
            part
            for column in columns
            for part in ((column - {first}, column - {second}) if {first, second} <= column else (column,))
        ]
        columns = [each for each in dict.fromkeys(split) if not any(each < other for other in split)]
    if len(columns) > len(string.ascii_lowercase):
        return None
    ranked = sorted(columns, key=lambda column: [place for place, source in enumerate(order) if source in column])
    return {
        source: "".join(
            letter for letter, column in zip(string.ascii_lowercase, ranked, strict=False) if source in column
        )
        for source in order
    }
