"""Functions that the import commands share: find the study, show progress, print the outcome."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.utils import timezone

from annotation.importing.columns import parse_map
from annotation.importing.outcome import BadField, ImportRejected, ImportSummary, Progress, in_words, no_progress
from annotation.models import Study


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("study", help="The study's short name.")
    files = "CSV, TSV, XLSX, Parquet, JSON or JSON Lines; may be packed as .gz."
    parser.add_argument("file", type=Path, help=files)
    parser.add_argument(
        "--sheet", default="", metavar="NAME", help="Of a workbook with several sheets: the one to read."
    )
    parser.add_argument("--dry-run", action="store_true", help="Check everything, store nothing.")


def add_map(parser: ArgumentParser, example: str, fields: Iterable[str]) -> None:
    text = f"Our field = the file's column, - if it has none; may be repeated. Fields: {', '.join(fields)}."
    parser.add_argument("--map", action="append", default=[], metavar=example, help=text)


def columns_of(texts: list[str]) -> dict[str, str]:
    try:
        return parse_map(",".join(texts))
    except BadField as error:
        raise CommandError(f"--map: {error.reason}.") from None


def named_study(slug: str) -> Study:
    study = Study.objects.select_related("protocol_version").filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no study {slug!r}. There are: {known}.")
    return study


def run_command(
    command: BaseCommand, run: Callable[..., ImportSummary], study: Study, given: dict[str, Any], **more: Any
) -> None:
    """Run an import with the arguments that all import commands have, and `more` of its own."""
    now = timezone.now()
    started = partial(run, study, given["file"], is_dry_run=given["dry_run"], now=now, **more)
    run_import(lambda progress: started(progress=progress), given["file"], command.stdout, command.stderr)


def run_import(
    run: Callable[[Progress], ImportSummary], path: Path, stdout: OutputWrapper, stderr: OutputWrapper
) -> None:
    """Run the import and print its summary, or print `FILE:LINE: field: reason` for each error and exit with 1."""
    try:
        summary = run(_shown(stderr) if stderr.isatty() else no_progress)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except ImportRejected as error:
        for each in error.errors:
            stderr.write(each.for_command().as_text(str(path)))
        for said in error.beside.warnings if error.beside else ():
            stderr.write(f"Warning: {in_words(said, 'command')}")
        more = error.n_errors - len(error.errors)
        rest = f", the last {more:,} not listed" if more else ""
        count = "1 error" if error.n_errors == 1 else f"{error.n_errors:,} errors"
        raise CommandError(f"{count}{rest}. Nothing was imported.") from None
    stdout.write("\n".join(summary.as_lines()))


def _shown(stderr: OutputWrapper) -> Progress:
    def show(done: int, total: int, phase: str) -> None:
        percent = 100 * done // total if total else 100
        stderr.write(f"\r{phase} {percent} %  ", ending="\n" if phase == "storing" else "")
        stderr.flush()

    return show


def picked(options: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: options[name] for name in names}
