from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.importing.console import named_study, run_import
from qualification.checks.services.known_answers import import_known_answers


class Command(BaseCommand):
    help = "Import known answers, one per row of a CSV. A mistake changes nothing; importing twice is safe."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name.")
        parser.add_argument("file", type=Path, help="UTF-8; may be packed as .gz.")
        parser.add_argument("--dry-run", action="store_true", help="Check everything, store nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        study, path = named_study(options["study"]), options["file"]
        facts: dict[str, Any] = {"by": None, "is_dry_run": options["dry_run"], "now": timezone.now()}
        run_import(lambda progress: import_known_answers(study, path, **facts), path, self.stdout, self.stderr)
