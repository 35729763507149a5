"""Write tables of any length as CSV or Parquet, from one description of their columns."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import IO, Any, Literal, NamedTuple

from parley.formulas import quote_formula

# A time is a text in UTC, as time_text writes it; texts and ints are tuples; "any" takes the type of each value.
Kind = Literal["text", "int", "float", "bool", "time", "texts", "ints", "any"]
BOM = b"\xef\xbb\xbf"  # makes spreadsheets read UTF-8
ROWS_PER_BLOCK = 500  # more are slower: a block should fit into the processor's cache
BLOCKS_PER_GROUP = 40  # for Parquet: the blocks held in memory at a time
BAR = "|"
SPECIAL = re.compile(r'[,"\r\n]')
NO_FIELD = '""'  # an empty line would not be read as a row

Tick = Callable[[int], None]


class Column(NamedTuple):
    name: str
    kind: Kind


Values = Sequence[Any]
Block = Sequence[Values]  # some rows, column by column: columns are converted whole, and most repeat a few values


def in_blocks(rows: Iterable[Values]) -> Iterator[Block]:
    """Yield the rows in blocks of at most ROWS_PER_BLOCK."""
    waiting = iter(rows)
    while some := list(islice(waiting, ROWS_PER_BLOCK)):
        yield list(zip(*some, strict=True))


def untyped(names: Iterable[str]) -> list[Column]:
    return [Column(name, "any") for name in names]


def csv_pieces(columns: Sequence[Column], blocks: Iterable[Block], *, has_mark: bool) -> Iterator[bytes]:
    """Yield the table as CSV, one block at a time. `has_mark` adds a byte order mark.

    Texts are quoted against formulas, lists are joined by bars, and undefined values are empty.
    """
    kinds = [column.kind for column in columns]
    yield (BOM if has_mark else b"") + _lines([[text_cell(column.name)] for column in columns])
    for block in blocks:
        yield _lines(map(csv_cells, kinds, block))


def _lines(columns: Iterable[Sequence[str]]) -> bytes:
    rows = map(",".join, zip(*columns, strict=True))
    return "".join([f"{row or NO_FIELD}\r\n" for row in rows]).encode()


def csv_cells(kind: Kind, values: Values) -> Sequence[str]:
    """Return cells as csv.writer writes them; each different value is converted once, as most columns repeat a few."""
    if kind == "time":
        return [value or "" for value in values]
    if kind == "any" and len(set(map(type, values)) - {type(None)}) > 1:
        return [WRITERS[type(value)](value) for value in values]  # True equals 1, so the two would share a cell below
    cells = {value: WRITERS[type(value)](value) for value in set(values)}
    return [cells[value] for value in values]


def text_cell(text: str) -> str:
    safe = quote_formula(text)
    return '"' + safe.replace('"', '""') + '"' if SPECIAL.search(safe) else safe


def time_text(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def number_text(value: float) -> str:
    """Write 2.0 as 2, so that a scale of whole numbers looks like one. A minus sign is not taken for a formula."""
    return str(int(value)) if value.is_integer() else repr(value)


WRITERS: dict[type, Callable[[Any], str]] = {
    str: text_cell,
    int: str,
    bool: lambda value: "true" if value else "false",
    float: number_text,
    datetime: time_text,
    tuple: lambda values: text_cell(BAR.join(map(str, values))),
    type(None): lambda value: "",
}


def write_parquet(columns: Sequence[Column], blocks: Iterable[Block], file: IO[bytes]) -> None:
    """Write typed columns, with lists as lists and times in UTC. Only one group of blocks is in memory at a time."""
    import pyarrow as pa  # here, because it takes 0.2 s and 170 MB on disk, and only Parquet needs it
    import pyarrow.parquet as pq

    types: dict[Kind, pa.DataType] = {
        "text": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "texts": pa.list_(pa.string()),
        "ints": pa.list_(pa.int32()),
    }
    schema = pa.schema([(column.name, types[column.kind]) for column in columns])

    def batch_of(block: Block) -> pa.RecordBatch:
        arrays = [pa.array(values).cast(kind) for values, kind in zip(block, schema.types, strict=True)]
        return pa.record_batch(arrays, schema=schema)

    batches = map(batch_of, blocks)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(batches, BLOCKS_PER_GROUP)):
            writer.write_table(pa.Table.from_batches(group, schema=schema))


def ticking(blocks: Iterable[Block], tick: Tick) -> Iterator[Block]:
    n_rows = 0
    for block in blocks:
        n_rows += len(block[0])
        tick(n_rows)
        yield block
