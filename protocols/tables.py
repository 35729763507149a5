"""Read a table of anchors, in Markdown or as copied from a spreadsheet, as the options of a criterion."""

import csv
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from protocols.bundles import Bundle
from protocols.models import Criterion, Option

MOST = 101  # options of a criterion, the limit of the format
MOST_CHARACTERS = 50_000
EXAMPLE = "| 1 (poor) | It is rude. <br /> It is off the topic. |"
CELL_END = re.compile(r"(?<!\\)\|")
RULE = re.compile(r":?-+:?")
FENCE = re.compile(r"(```|~~~).*")
BREAK = re.compile(r"<br\s*/?\s*>|</?(?:ul|ol|li|p|div)\b[^>]*>", re.IGNORECASE)
EMPHASIS = (
    re.compile(r"</?(?:b|strong|i|em|u)\s*>", re.IGNORECASE),
    re.compile(r"(?<!\\)(\*{1,3})(?=[^\s*])(?P<text>.{1,1000}?)(?<=[^\s\\*])\1"),
    re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])(?P<text>.{1,1000}?)(?<=[^\s\\_])\1(?!\w)"),
)
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
BULLET = re.compile(r"[•‣◦▪●○⁃∙]")
DASH = re.compile(r"[-*+–—]\s")
# In front, if not part of a range (1-2), a fraction (1/5) or a word (2nd); or in brackets at the end.
NUMBER = r"[+\-−–]?\d+(?:[.,]\d+)?"
IN_FRONT = re.compile(rf"[\[(（]?({NUMBER})[\])）]?(?=$|[\s:：=(（\[.,)–—-])(?!\s*[-–—/]\s*\d)")
AT_THE_END = re.compile(rf".*[\[(（]({NUMBER})[\])）]")
OF_EXAMPLES = re.compile(r"example|esempi|例", re.IGNORECASE)
Rows = list[list[str]]


class NoAnswers(ValueError):
    """The text gives no options; the message says what was found and what is expected."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """The result: `options` are entries of a bundle; `notes` are sentences on what became of the rest."""

    options: list[Bundle]
    scale: str
    notes: list[str]


def answers_of_table(text: str, *, add_between: bool = True) -> AnswerTable:
    """Return the options of a table. `add_between` adds 2 and 4, without text, to 1, 3 and 5. Raises NoAnswers."""
    if len(text) > MOST_CHARACTERS:
        found = _("The text has %(n)s characters.") % {"n": len(text)}
        raise NoAnswers(" ".join([found, _("Expected: at most %(n)s.") % {"n": MOST_CHARACTERS}]))
    is_alone = True
    if _is_of_spreadsheet(text):
        cells = _cells_of_spreadsheet(text)
    else:
        lines, is_alone = _lines_of(text)
        split = [CELL_END.split(line) for line in lines]
        cells = [row[1 if not row[0].strip() else 0 : -1 if not row[-1].strip() else None] for row in split]
    head, rows = _head_and_rows([[cell.strip() for cell in row] for row in cells])
    if len(rows) < 2:
        raise NoAnswers(f"{_n_rows(len(rows))} {_expected()}")
    options, notes = _options(head, rows)
    _check(options)
    scale = Criterion.Scale.NOMINAL
    values = [option["value"] for option in options if option["value"] is not None]
    if len(values) == len(options):
        scale = Criterion.Scale.ORDINAL
        options, more = _between(options) if add_between else (options, [])
        notes += [
            *more,
            _("Low numbers count as bad and high numbers as good. Change this if your scale runs the other way."),
        ]
        middle = (min(values) + max(values)) / 2
        for option in options:
            if option["value"] != middle:
                option["role"] = str(Option.Role.POSITIVE if option["value"] > middle else Option.Role.NEGATIVE)
    elif values:
        notes.append(_("Not every answer has a number, so they are treated as names without an order."))
    if not is_alone:
        notes.append(_("Text around the table was left out."))
    keys = _free(str(option["value"]) if option["value"] is not None else option["label"] for option in options)
    for option, key in zip(options, keys, strict=True):
        option["key"] = key
    return AnswerTable(options, str(scale), notes)


def _n_rows(n: int) -> str:
    return ngettext("The table has %(n)s row of answers.", "The table has %(n)s rows of answers.", n) % {"n": n}


def _n_tables(n: int) -> str:
    return " ".join([_("These are %(n)s tables.") % {"n": n}, _("Expected: the table of one criterion.")])


def _expected() -> str:
    return _("Expected: one row for each answer, such as %(example)s") % {"example": EXAMPLE}


# --- lines and cells -----------------------------------------------------------------------------------
def _is_of_spreadsheet(text: str) -> bool:
    """Return whether tabs separate the cells: a cell may have a | in it, and a table of Markdown may have tabs."""
    lines = [line.strip() for line in text.splitlines()]
    n_tabs = sum("\t" in line for line in lines)
    n_bars = sum(CELL_END.search(line) is not None for line in lines)
    return n_tabs > 0 and n_tabs >= n_bars and not any(line.startswith("|") for line in lines)


def _cells_of_spreadsheet(text: str) -> Rows:
    """Return the rows of copied cells without the columns that are empty in front of them.

    Spreadsheets put a cell with line breaks in quotes. Each of its lines counts as a text of its own.
    """
    lines = re.sub("\r\n?", "\n", text).split("\n")
    rows = list(csv.reader((f"{line}\n" for line in lines), dialect="excel-tab"))
    firsts = [at for row in rows for at, cell in enumerate(row) if cell.strip()]
    return [[_plain_cell(cell) for cell in row[min(firsts) :]] for row in rows]


def _plain_cell(cell: str) -> str:
    """Return a cell with its marks as they are typed, where Markdown would take them for emphasis."""
    return re.sub(r"[\\*_]", r"\\\g<0>", cell.strip()).replace("\n", "<br>")


def _lines_of(text: str) -> tuple[list[str], bool]:
    """Return the lines of the one table in a text, without empty lines, and whether the text has nothing else."""
    blocks: list[list[str]] = [[]]
    is_alone, is_after_gap = True, False
    for line in map(str.strip, text.splitlines()):
        if not line or FENCE.fullmatch(line):
            is_after_gap = True
            continue
        is_row = CELL_END.search(line) is not None
        if not is_row or (is_after_gap and not all(each.startswith("|") for each in (line, *blocks[-1][-1:]))):
            blocks.append([])
        is_alone, is_after_gap = is_alone and is_row, False
        blocks[-1] += [line] if is_row else []
    tables = [block for block in blocks if len(block) > 1] or [block for block in blocks if block]
    if not tables:
        found = _("This is not a table: no line has cells between | and |, or separated by tabs.")
        raise NoAnswers(f"{found} {_expected()}")
    if len(tables) > 1:
        raise NoAnswers(_n_tables(len(tables)))
    return tables[0], is_alone and sum(map(bool, blocks)) == 1


def _head_and_rows(rows: Rows) -> tuple[list[str], Rows]:
    """Return the head, empty if there is none, and the rows. A first row with a number is an answer, not a head."""
    rules = [number for number, row in enumerate(rows) if any(row) and all(RULE.fullmatch(cell) for cell in row)]
    if len(rules) > 1:
        raise NoAnswers(_n_tables(len(rules)))
    rest = [row for number, row in enumerate(rows) if number not in rules and any(row)]
    if not rest:
        return [], []
    values = [_value(_label(row)) for row in rest]
    has_head = values[0] is None and (rules[:1] == [1] or all(value is not None for value in values[1:]))
    is_headless = rules[:1] == [0] or len(rest) == 1 or not any(rows[0])
    return ([" ".join(_entries(cell)) for cell in rest[0]], rest[1:]) if has_head and not is_headless else ([], rest)


def _entries(cell: str) -> list[str]:
    """Return the texts of a cell, split at line breaks and bullets, without marks of Markdown."""
    for pattern in (*EMPHASIS, *EMPHASIS[1:]):  # the second time for italics within bold
        cell = pattern.sub(lambda found: found.groupdict().get("text") or "", cell)
    pieces = (html.unescape(ESCAPED.sub(r"\1", piece)) for piece in BREAK.split(cell))
    texts = (" ".join(text.split()) for piece in pieces for part in BULLET.split(piece) for text in _dashed(part))
    return [text for text in texts if text]


def _dashed(text: str) -> Iterable[str]:
    """Split a text that begins with a dash, as in "- one - two"; in other texts a dash does not split."""
    text = text.strip()
    return re.split(rf"(?:^|\s){re.escape(text[0])}\s", text) if DASH.match(text) else [text]


def _label(row: list[str]) -> str:
    return " ".join(_entries(row[0])) if row else ""


def _value(label: str) -> float | int | None:
    found = IN_FRONT.match(label) or AT_THE_END.fullmatch(label)
    if found is None:
        return None
    value = float(found[1].replace(",", ".").replace("−", "-").replace("–", "-"))
    return int(value) if value.is_integer() else value


# --- options ---------------------------------------------------------------------------------------------
def _options(head: list[str], rows: Rows) -> tuple[list[Bundle], list[str]]:
    """Return options and notes. Texts of further columns go to the end of the definition, so that none is lost."""
    heads = dict(enumerate(head))
    width = max(map(len, rows))
    main = next((at for at in range(1, width) if not OF_EXAMPLES.search(heads.get(at, ""))), 0)
    moved: Counter[int] = Counter()
    options = []
    for number, row in enumerate(rows, start=1):
        label = _label(row)
        if not label:
            found = _("The first cell of row %(n)s is empty.") % {"n": number}
            raise NoAnswers(" ".join([found, _("Expected: the number or the name of an answer, such as 1 (poor).")]))
        texts = _entries(row[main]) if 0 < main < len(row) else []
        further = {at: "\n".join(_entries(row[at])) for at in range(1, len(row)) if at != main and _entries(row[at])}
        moved.update(further.keys())
        definition = [*(texts if len(texts) == 1 else []), *(_headed(heads.get(at, ""), further[at]) for at in further)]
        options.append(_made(label, "\n\n".join(definition), texts if len(texts) > 1 else [], _value(label)))
    notes = []
    for at, n in sorted(moved.items()):
        note = ngettext(
            "%(n)s cell of “%(name)s” was added to the end of “When it fits”.",
            "%(n)s cells of “%(name)s” were added to the end of “When it fits”.",
            n,
        )
        notes.append(note % {"n": n, "name": heads.get(at) or _("column %(n)s") % {"n": at + 1}})
    return options, notes


def _headed(head: str, text: str) -> str:
    # Translators: the head of a column of a table, and the text of its cell.
    return _("%(head)s: %(text)s") % {"head": head, "text": text} if head else text


def _check(options: list[Bundle]) -> None:
    if len(options) > MOST:
        raise NoAnswers(" ".join([_n_rows(len(options)), _("Expected: at most %(n)s.") % {"n": MOST}]))
    for name in ("value", "label"):
        counted = Counter(option[name] for option in options if option[name] is not None)
        for twice in (value for value, n in counted.items() if n > 1):
            found = _("“%(value)s” appears in two rows.") % {"value": twice}
            raise NoAnswers(" ".join([found, _("Expected: another number or name in each row.")]))


def _between(options: list[Bundle]) -> tuple[list[Bundle], list[str]]:
    """Return the options with the missing whole numbers in their places, in rising or falling order, and notes."""
    values = [option["value"] for option in options]
    if not all(isinstance(value, int) for value in values):
        return options, []
    missing = max(values) - min(values) + 1 - len(values)
    if not missing:
        return options, []
    if missing + len(values) > MOST:
        return options, [_("The %(n)s points in between are too many to add.") % {"n": missing}]
    is_falling = values == sorted(values, reverse=True)
    known = {option["value"]: option for option in options}
    points = range(min(values), max(values) + 1)
    made = [known.get(point) or _made(str(point), "", [], point) for point in (points[::-1] if is_falling else points)]
    added = ", ".join(option["label"] for option in made if option["value"] not in known)
    note = ngettext("Point without text: %(points)s.", "Points without text: %(points)s.", missing)
    return made, [note % {"points": added}]


def _made(label: str, definition: str, conditions: list[str], value: float | None) -> Bundle:
    own: Bundle = {"key": "", "label": label, "definition": definition, "conditions": conditions}
    return own | {"role": str(Option.Role.NEUTRAL), "value": value, "asks": str(Option.Asks.NOTHING)}


def _free(texts: Iterable[str]) -> Iterator[str]:
    """Yield a different key for each text."""
    taken: set[str] = set()
    for place, text in enumerate(texts, start=1):
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower().replace("'", "")
        plain = f"minus_{plain[1:]}" if re.match(r"-\d", plain) else plain
        base = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:40].strip("_") or f"option_{place}"
        key = next(each for each in (base, *(f"{base}_{n}" for n in range(2, MOST + 2))) if each not in taken)
        taken.add(key)
        yield key
