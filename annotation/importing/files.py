"""Read a file, plain or .gz, in bounded memory, whatever its length and content."""

import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from django.utils.translation import gettext as _

from annotation.importing.outcome import READING, ErrorLog, Progress, rejected

LONGEST_LINE = 5 * 1024 * 1024
MOST_UNPACKED = 4 * 1024**3  # a .gz of some megabytes can unpack to terabytes
LINES_PER_REPORT = 1000
GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
ZIP, PARQUET_MAGIC = b"PK\x03\x04", b"PAR1"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # Excel writes "Unicode text" so
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
BLOCK = 1024 * 1024


class Lines(Protocol):
    def readline(self, size: int = -1, /) -> bytes: ...


class _FromUtf16:
    """Lines of a UTF-16 file as UTF-8."""

    def __init__(self, source: BinaryIO) -> None:
        self._text = io.TextIOWrapper(source, encoding="utf-16", newline="\n")

    def readline(self, size: int = -1, /) -> bytes:
        return self._text.readline(size).encode()


def unpacking(raw: io.BufferedReader) -> io.BufferedReader:
    """Return the open file itself, or what a .gz holds."""
    is_packed = raw.peek(2)[:2] == GZIP_MAGIC
    return io.BufferedReader(gzip.GzipFile(fileobj=raw), BLOCK) if is_packed else raw


@contextmanager
def ready(path: Path, sheet: str = "") -> Iterator[Path]:
    """Unpack a workbook or Parquet file in a .gz to the disk, once: they are read in any order, and several times.

    Raise ImportRejected, also if a sheet is wanted of a file that has none.
    """
    with path.open("rb") as raw, tempfile.NamedTemporaryFile(prefix="parley-unpacked-") as whole:
        source = unpacking(raw)
        try:
            head = source.peek(len(ZIP))[: len(ZIP)]
            if sheet and head != ZIP:
                raise rejected(_("is only for workbooks, and this file is none: leave it out"), "sheet")
            is_packed = source is not raw and head in (ZIP, PARQUET_MAGIC)
            while is_packed and (piece := source.read(BLOCK)):
                whole.write(piece)
                if whole.tell() > MOST_UNPACKED:
                    raise rejected(too_much())
        except DAMAGED as error:
            raise rejected(damaged(error)) from None
        whole.flush()
        yield Path(whole.name) if is_packed else path


def read_lines(path: Path, log: ErrorLog, progress: Progress) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line with its end). A line that is too long, or a damaged end, goes to the log."""
    total = path.stat().st_size
    number = 0
    with path.open("rb") as raw:
        source = unpacking(raw)
        try:
            lines: Lines = _FromUtf16(source) if source.peek(2)[:2] in UTF_16 else source
            for number, line in _bounded(lines, log):
                if number % LINES_PER_REPORT == 0:
                    progress(raw.tell(), total, READING)
                yield number, line
        except DAMAGED as error:
            log.add(number + 1, "", damaged(error))
        except UnicodeDecodeError:
            log.add(number + 1, "", _("is not UTF-16, although the file begins as such: save the file as UTF-8"))
    progress(total, total, READING)


def damaged(error: Exception) -> str:
    return _("the .gz file is damaged or incomplete (%(error)s): compress it again") % {"error": error}


def too_much() -> str:
    return _("the file contains more than %(most)s GB: split it") % {"most": MOST_UNPACKED >> 30}


def _bounded(source: Lines, log: ErrorLog) -> Iterator[tuple[int, bytes]]:
    number = n_bytes = 0
    while line := source.readline(LONGEST_LINE + 1):
        number += 1
        n_bytes += len(line)
        if number == 1:
            line = line.removeprefix(BOM)
        if n_bytes > MOST_UNPACKED:
            log.add(number, "", too_much())
            return
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            log.add(number, "", _("the line is longer than %(most)s MB") % {"most": LONGEST_LINE >> 20})
            n_bytes += _skip_line(source)
            continue
        yield number, line


def _skip_line(source: Lines) -> int:
    skipped = 0
    while piece := source.readline(LONGEST_LINE):
        skipped += len(piece)
        if piece.endswith(b"\n") or skipped > MOST_UNPACKED:
            break
    return skipped
