"""Define the archive as an export format. Its writer is imported only when needed, not at every start."""

from typing import IO

from django.utils.translation import gettext_lazy as _

from annotation.models import Study
from reporting.exports.formats import Format
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick


def _write(study: Study, options: ExportOptions, file: IO[bytes], tick: Tick) -> None:
    from archive.writer import write_archive

    write_archive(study, options, file, tick)


ARCHIVE = Format(
    _("The whole study, zip"),
    _("Protocol, dialogues, ratings, settings and report. An empty Parley can import it and produces the same report."),
    "archive.zip",
    "application/zip",
    40,
    50_000,
    write=_write,
)
