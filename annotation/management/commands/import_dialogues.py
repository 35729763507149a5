from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.importing import DIALOGUE_FORMATS, DialogueOptions, import_dialogues
from annotation.importing.console import add_arguments, add_map, columns_of, named_study, picked, run_command
from annotation.importing.layouts import FIELDS


class Command(BaseCommand):
    help = "Import dialogues and their candidates. A mistake changes nothing; importing twice is safe."

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        add_map(parser, "history=context,...", FIELDS)
        parser.add_argument("--reference", default="", metavar="KEY", help="The source that is the ground truth.")
        parser.add_argument("--format", default="", choices=DIALOGUE_FORMATS, help="Recognised when left out.")
        parser.add_argument("--source", default="", metavar="KEY", help="Who wrote candidates that name no source.")
        parser.add_argument("--asker", default="", metavar="NAME", help="Who asks in dialogues that do not say it.")
        parser.add_argument(
            "--unescape-newlines", action="store_true", help=r"Turn a written \n in a text into a line break."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        said = picked(options, "reference", "source", "asker", "unescape_newlines")
        read = DialogueOptions(columns=columns_of(options["map"]), **said)
        run_command(self, import_dialogues, study, options, format=options["format"], options=read)
