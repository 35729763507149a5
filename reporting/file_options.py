"""The options that the commands on files share: which rows count, and which values are missing."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# Columns and the value that a row must have in each; other rows are left out.
Where = tuple[tuple[str, str], ...]
SPELLINGS = ("NA", "N/A", "#N/A", "<NA>", "NaN", "null", "None")


@dataclass(frozen=True, slots=True)
class Missing:
    """How a missing value may be written beside an empty cell, in capitals or not."""

    spellings: tuple[str, ...] = SPELLINGS

    def holds(self, text: str) -> bool:
        return not text or text.casefold() in {each.casefold() for each in self.spellings}

    def but(self, answers: Iterable[str]) -> "Missing":
        """Return the spellings without those that somebody declares as answers."""
        declared = {each.casefold() for each in answers}
        return Missing(tuple(each for each in self.spellings if each.casefold() not in declared))

    def warnings(self, counts: Mapping[str, int], n_rows: int) -> list[str]:
        """Return a warning about the missing values among the `counts` of the texts of so many rows."""
        found = {text: n for text, n in sorted(counts.items()) if self.holds(text)}
        if not found:
            return []
        spelled = ", ".join(f"{text or 'empty'} {n:,}" for text, n in found.items())
        remedy = "; if one of these is an answer, name the other spellings with --missing" if any(found) else ""
        verb = "is" if sum(found.values()) == 1 else "are"
        return [f"{sum(found.values()):,} of {n_rows:,} values {verb} missing and left out ({spelled}){remedy}"]


USUAL = Missing()
# What files call the systems that answer the same items.
SYSTEMS = ("source", "system", "model", "system_id", "model_id", "source_id", "bot", "candidate", "method")


def to_tell_apart(header: Sequence[str], used: Sequence[str], item: Sequence[str]) -> str:
    """Return how to tell apart the systems that answer an item; nothing if no unused column seems to name them."""
    found = [name for name in header if name.casefold() in SYSTEMS and name not in used]
    if not found:
        return ""
    items = ",".join((*item, found[0]))
    return (
        f". If column {found[0]!r} tells apart what was rated, use --item {items} for one result, or --by {found[0]} "
        "for one each"
    )


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def condition(text: str) -> tuple[str, str]:
    """Read 'column=value' of a command line."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ArgumentTypeError(f"{text!r} is not COLUMN=VALUE")
    return name.strip(), value.strip()


def words(text: str) -> tuple[str, ...]:
    """'a, b' -> ('a', 'b')."""
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def ends(text: str) -> tuple[float, float]:
    """Read 'low,high' of a command line."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not LOW,HIGH") from None
    if not low < high:
        raise ArgumentTypeError(f"{text!r}: the first number is the lower one")
    return low, high


def add_where(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--where", type=condition, action="append", default=[], metavar="COL=VALUE",
        help="only rows with this value, such as is_counted=true; repeatable",
    )  # fmt: skip


def add_missing(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--missing", type=words, default=SPELLINGS, metavar="TEXT,...",
        help="how a missing value is written beside an empty cell, in capitals or not "
        f'(default: {",".join(SPELLINGS)}); --missing "" takes only empty cells',
    )  # fmt: skip
