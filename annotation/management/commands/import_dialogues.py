from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.importing import DIALOGUE_FORMATS, DialogueOptions, import_dialogues
from annotation.importing.console import add_arguments, add_map, columns_of, named_study, picked, run_command
from annotation.importing.layouts import FIELDS

OF_TRANSCRIPT: tuple[tuple[str, Any], ...] = (
    ("roles", []),
    ("rate", "all"),
    ("with_dialogue", False),
    ("show_system", False),
)
READ = (
    "sheet",
    "reference",
    "source",
    "asker",
    "unescape_newlines",
    "replace_unused",
    "transcript",
    *(name for name, _usual in OF_TRANSCRIPT),
)


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
        parser.add_argument(
            "--replace-unused",
            action="store_true",
            help="Replace dialogues of the same id that differ, if no batch holds them yet.",
        )
        parser.add_argument(
            "--transcript", action="store_true", help="A chat log: each response of the assistant is one to rate."
        )
        parser.add_argument(
            "--role",
            dest="roles",
            action="append",
            default=[],
            metavar="NAME",
            help="Of a transcript: whose messages are rated, assistant or user; may be repeated.",
        )
        parser.add_argument(
            "--rate", default="all", metavar="WHICH", help="Of a transcript: all, last, every:K, from:N or none."
        )
        parser.add_argument(
            "--with-dialogue", action="store_true", help="Of a transcript: the whole dialogue is rated too, at the end."
        )
        parser.add_argument(
            "--show-system", action="store_true", help="Of a transcript: annotators read the system prompt."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        if not options["transcript"] and any(options[name] != usual for name, usual in OF_TRANSCRIPT):
            raise CommandError("--role, --rate, --with-dialogue and --show-system are for chat logs: add --transcript.")
        read = DialogueOptions(columns=columns_of(options["map"]), **picked(options, *READ))
        run_command(self, import_dialogues, study, options, format=options["format"], options=read)
