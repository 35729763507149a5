from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.importing import RatingOptions, import_ratings
from annotation.importing.columns import FIELDS
from annotation.importing.console import add_arguments, add_map, columns_of, named_study, picked, run_command


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

        parser.add_argument("--criterion", default="", metavar="KEY", help="Of JSON Lines: what the labels answer.")
        parser.add_argument(
            "--annotator",
            default="",
            metavar="NAME",
            help="Of JSON Lines: whose labels these are, where it says nobody.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        rest = picked(options, "create_missing", "reference", "criterion", "annotator")
        run_command(self, import_ratings, study, options, options=RatingOptions(columns_of(options["map"]), **rest))
