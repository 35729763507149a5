"""Read the lines of a file, plain or .gz, in bounded memory, whatever its length and content."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from django.utils.translation import gettext as _

from annotation.importing.outcome import READING, ErrorLog, Progress

LONGEST_LINE = 5 * 1024 * 1024
MOST_UNPACKED = 4 * 1024**3  # a .gz of some megabytes can unpack to terabytes
LINES_PER_REPORT = 1000
GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: Path, log: ErrorLog, progress: Progress) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line with its end). A line that is too long, or a damaged end, goes to the log."""
    total = path.stat().st_size
    number = 0
    with path.open("rb") as raw:
        is_packed = raw.peek(2)[:2] == GZIP_MAGIC
        source = io.BufferedReader(gzip.GzipFile(fileobj=raw), 1024 * 1024) if is_packed else raw
        try:
            for number, line in _bounded(source, log):
                if number % LINES_PER_REPORT == 0:
                    progress(raw.tell(), total, READING)
                yield number, line
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            text = _("the .gz file is damaged or incomplete (%(error)s): compress it again")
            log.add(number + 1, "", text % {"error": error})
    progress(total, total, READING)


def _bounded(source: BinaryIO, log: ErrorLog) -> Iterator[tuple[int, bytes]]:
    number = n_bytes = 0
    while line := source.readline(LONGEST_LINE + 1):
        number += 1
        n_bytes += len(line)
        if number == 1:
            if line.startswith(OTHER_ENCODINGS):
                log.add(1, "", _("the file is UTF-16: save it as UTF-8"))
                return
            line = line.removeprefix(BOM)
        if n_bytes > MOST_UNPACKED:
            log.add(number, "", _("the file contains more than %(most)s GB: split it") % {"most": MOST_UNPACKED >> 30})
            return
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            log.add(number, "", _("the line is longer than %(most)s MB") % {"most": LONGEST_LINE >> 20})
            n_bytes += _skip_line(source)
            continue
        yield number, line


def _skip_line(source: BinaryIO) -> int:
    skipped = 0
    while piece := source.readline(LONGEST_LINE):
        skipped += len(piece)
        if piece.endswith(b"\n") or skipped > MOST_UNPACKED:
            break
    return skipped
