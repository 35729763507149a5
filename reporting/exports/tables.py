"""Tables of any length as CSV and Parquet, from one description of their columns."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import IO, Any, Literal, NamedTuple

from parley.formulas import quote_formula

# A time is a text in UTC, as time_text writes it; texts and ints are tuples. Any: each value says what it is.
Kind = Literal["text", "int", "float", "bool", "time", "texts", "ints", "any"]
BOM = b"\xef\xbb\xbf"  # makes spreadsheets read UTF-8
ROWS_PER_BLOCK = 500  # more are slower: a block should fit into the cache of the processor
BLOCKS_PER_GROUP = 40  # of Parquet: what is held in memory at a time
BAR = "|"
SPECIAL = re.compile(r'[,"\r\n]')
NO_FIELD = '""'  # a line without a character would be no row

Tick = Callable[[int], None]


class Column(NamedTuple):
    name: str
    kind: Kind


Values = Sequence[Any]
Block = Sequence[Values]  # some rows, column by column: each column is made at once, and most repeat a few values


def in_blocks(rows: Iterable[Values]) -> Iterator[Block]:
    """Rows of any number, some at a time."""
    waiting = iter(rows)
    while some := list(islice(waiting, ROWS_PER_BLOCK)):
        yield list(zip(*some, strict=True))


def untyped(names: Iterable[str]) -> list[Column]:
    return [Column(name, "any") for name in names]


def csv_pieces(columns: Sequence[Column], blocks: Iterable[Block], *, has_mark: bool) -> Iterator[bytes]:
    """The table as CSV, a block at a time: texts quoted against formulas, lists with bars, undefined empty."""
    kinds = [column.kind for column in columns]
    yield (BOM if has_mark else b"") + _lines([[text_cell(column.name)] for column in columns])
    for block in blocks:
        yield _lines(map(csv_cells, kinds, block))


def _lines(columns: Iterable[Sequence[str]]) -> bytes:
    rows = map(",".join, zip(*columns, strict=True))
    return "".join([f"{row or NO_FIELD}\r\n" for row in rows]).encode()


def csv_cells(kind: Kind, values: Values) -> Sequence[str]:
    """As csv.writer writes them, but each different value once: most columns repeat a few."""
    if kind == "time":
        return values
    if kind == "any" and len(set(map(type, values)) - {type(None)}) > 1:
        return [csv_cell(value) for value in values]  # True is equal to 1
    cells = {value: csv_cell(value) for value in set(values)}
    return [cells[value] for value in values]


def csv_cell(value: Any) -> str:
    return WRITERS[type(value)](value)


def text_cell(text: str) -> str:
    safe = quote_formula(text)
    return '"' + safe.replace('"', '""') + '"' if SPECIAL.search(safe) else safe


def list_cell(values: Values) -> str:
    return text_cell(BAR.join(map(str, values)))


def time_text(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def number_text(value: float) -> str:
    """2.0 is written 2: a scale of whole numbers looks like one. A minus sign before a number is no formula."""
    return str(int(value)) if value.is_integer() else repr(value)


WRITERS: dict[type, Callable[[Any], str]] = {
    str: text_cell,
    int: str,
    bool: lambda value: "true" if value else "false",
    float: number_text,
    datetime: time_text,
    tuple: list_cell,
    type(None): lambda value: "",
}


def write_parquet(columns: Sequence[Column], blocks: Iterable[Block], file: IO[bytes]) -> None:
    """Typed columns, lists as lists, times in UTC. One group of blocks is in memory at a time."""
    import pyarrow as pa  # 170 MB on disk and 0.2 s: paid by who exports Parquet
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
