from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.importing import PredictionOptions, import_predictions
from annotation.importing.console import add_arguments, add_map, columns_of, named_study, picked, run_command
from annotation.importing.prediction_cells import FIELDS, names_in


class Command(BaseCommand):
    help = "Import scores or labels of metrics or models from a table. A mistake changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)
        add_map(parser, "dialogue=id,...", FIELDS)
        parser.add_argument(
            "--metrics",
            default="",
            metavar="bleu,judge=appropriateness,...",
            help="Columns that are a metric each; labels with their criterion.",
        )
        parser.add_argument("--metric", default="", metavar="NAME", help="Of the one metric in value and label.")
        parser.add_argument(
            "--criterion", default="", metavar="KEY", help="The criterion that labels answer, by its key or name."
        )
        parser.add_argument(
            "--lower-is-better", default="", metavar="nll,...", help="Metrics whose low scores are the good ones."
        )
        parser.add_argument("--note", default="", help="Printed beside the metrics: how they were made.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        read = PredictionOptions(
            columns=columns_of(options["map"]),
            metrics=names_in(options["metrics"]),
            lower_is_better=names_in(options["lower_is_better"]),
            **picked(options, "sheet", "metric", "criterion", "note"),
        )
        run_command(self, import_predictions, study, options, options=read)
