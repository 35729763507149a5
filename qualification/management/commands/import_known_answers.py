from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.importing.console import add_arguments, named_study, run_import
from qualification.checks.services.known_answers import import_known_answers


class Command(BaseCommand):
    help = "Import known answers, one per row of a table. A mistake changes nothing; importing twice is safe."

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study, path = named_study(options["study"]), options["file"]
        facts: dict[str, Any] = {"by": None, "sheet": options["sheet"], "is_dry_run": options["dry_run"]}
        started = partial(import_known_answers, study, path, now=timezone.now(), **facts)
        run_import(lambda progress: started(), path, self.stdout, self.stderr)
