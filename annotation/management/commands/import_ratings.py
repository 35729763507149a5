from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.importing import RatingOptions, import_ratings, parse_map
from annotation.importing.columns import FIELDS
from annotation.importing.console import add_arguments, named_study, run_import
from annotation.importing.outcome import BadField


class Command(BaseCommand):
    help = (
        "Bring existing ratings into a study: a CSV with one per row, or JSON Lines with a label each. All or nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        parser.add_argument(
            "--map",
            default="",
            metavar="annotator=rater,...",
            help=f"Our field = the file's column. Fields: {', '.join(FIELDS)}.",
        )
        parser.add_argument(
            "--create-missing",
            action="store_true",
            help="Make dialogues, sources and candidates the study does not have, by their id, without texts.",
        )

        parser.add_argument("--criterion", default="", metavar="KEY", help="Of JSON Lines: what the labels answer.")
        parser.add_argument(
            "--annotator",
            default="",
            metavar="NAME",
            help="Of JSON Lines: whose labels these are, where it says nobody.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        run = partial(
            import_ratings,
            named_study(options["study"]),
            path,
            options=RatingOptions(
                _columns(options["map"]),
                options["create_missing"],
                options["reference"],
                options["criterion"],
                options["annotator"],
            ),
            is_dry_run=options["dry_run"],
            now=timezone.now(),
        )
        run_import(lambda progress: run(progress=progress), path, self.stdout, self.stderr)


def _columns(text: str) -> dict[str, str]:
    try:
        return parse_map(text)
    except BadField as error:
        raise CommandError(f"--map: {error.reason}.") from None
