from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.importing import DIALOGUE_FORMATS, DialogueOptions, import_dialogues
from annotation.importing.console import add_arguments, named_study, picked, run_import


class Command(BaseCommand):
    help = "Import dialogues and their candidates. A mistake changes nothing; importing twice is safe."

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        parser.add_argument("--format", default="", choices=DIALOGUE_FORMATS, help="Recognised when left out.")
        parser.add_argument("--source", default="", metavar="KEY", help="Who wrote candidates that name no source.")
        parser.add_argument("--asker", default="", metavar="NAME", help="Who asks in dialogues that do not say it.")
        parser.add_argument(
            "--unescape-newlines", action="store_true", help=r"Turn a written \n in a text into a line break."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        run = partial(
            import_dialogues,
            named_study(options["study"]),
            path,
            format=options["format"],
            options=DialogueOptions(**picked(options, "reference", "source", "asker", "unescape_newlines")),
            is_dry_run=options["dry_run"],
            now=timezone.now(),
        )
        run_import(lambda progress: run(progress=progress), path, self.stdout, self.stderr)
