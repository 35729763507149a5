from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Batch, Study
from reporting.exports.formats import FORMATS, file_name, write_export
from reporting.exports.options import CELLS, TIES, ExportOptions


class Command(BaseCommand):
    help = (
        "Write the data of a study to a file, with pseudonyms. "
        "Account names can only be exported on the page, which logs it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        usual = ExportOptions()
        parser.add_argument("study", help="The study's short name.")
        parser.add_argument("--format", choices=list(FORMATS), default="archive")
        parser.add_argument("--output", type=Path, help="The file to write. Default: named after study and format.")
        parser.add_argument("--kind", choices=Batch.Kind.values, default="", help="The kind of batches. Default: all.")
        parser.add_argument("--cell", choices=CELLS, default=usual.cell, help="For wide-csv: what a cell holds.")
        parser.add_argument("--criterion", default="", help="For diqad: the criterion whose answer is the label.")
        parser.add_argument("--seed", type=int, help="For diqad: the seed of the split. Default: the study's.")
        parser.add_argument("--train", type=int, default=usual.train, help="For diqad: training part, per cent.")
        parser.add_argument(
            "--validation", type=int, default=usual.validation, help="For diqad: validation part, per cent."
        )
        parser.add_argument("--ties", choices=TIES, default=usual.ties, help="For diqad: what happens to tied items.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.select_related("protocol_version__protocol").filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        if min(options["train"], options["validation"]) < 0 or options["train"] + options["validation"] > 100:
            raise CommandError("--train and --validation are per cent, and 100 together at most.")
        path = options["output"] or Path(file_name(study, options["format"]))
        # A file that is there stays until the new one is whole; a device has no place beside it.
        partial = path if path.exists() and not path.is_file() else path.with_name(f"{path.name}.part")
        try:
            with partial.open("wb") as file:
                write_export(study, options["format"], options, file)
            if partial != path:
                partial.replace(path)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
        finally:
            if partial != path:
                partial.unlink(missing_ok=True)
        self.stdout.write(f"{path}: {path.stat().st_size:,} bytes")
