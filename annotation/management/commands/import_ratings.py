import hashlib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.importing import RatingOptions, import_ratings
from annotation.importing.columns import FIELDS
from annotation.importing.console import add_arguments, add_map, columns_of, named_study, picked, run_command
from annotation.models import ImportJob, Study


class Command(BaseCommand):
    help = (
        "Bring existing ratings into a study: a table with one per row or a column for each criterion, or JSON Lines "
        "with a label each. All or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        parser.add_argument("--reference", default="", metavar="KEY", help="The source that is the ground truth.")
        add_map(parser, "annotator=rater,...", (*FIELDS, "or the key of a criterion"))
        parser.add_argument(
            "--create-missing",
            action="store_true",
            help="Make dialogues, sources and candidates the study does not have, by their id, without texts.",
        )

        parser.add_argument(
            "--criterion",
            default="",
            metavar="KEY",
            help="The criterion that the whole file answers, by its key or name, if no column says it.",
        )
        parser.add_argument(
            "--annotator",
            default="",
            metavar="NAME",
            help="Of JSON Lines: whose labels these are, where it says nobody.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        rest = picked(options, "sheet", "create_missing", "reference", "criterion", "annotator")
        job = _job(study, options["file"])
        read = RatingOptions(columns_of(options["map"]), **rest)
        run_command(self, import_ratings, study, options, options=read, job=job)
        if job.pk:
            self.stdout.write(f"To take it back: ./dev manage take_back_import {study.slug} {job.token}")


def _job(study: Study, path: Path) -> ImportJob:
    """Return the job that remembers the import once it has succeeded."""
    sha256 = ""
    if path.is_file():
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    done = {"kind": ImportJob.Kind.RATINGS, "status": ImportJob.Status.DONE}
    return ImportJob(study=study, file_name=path.name[-255:], file_sha256=sha256, **done)
