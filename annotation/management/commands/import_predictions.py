from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.importing import PredictionOptions, import_predictions, parse_map
from annotation.importing.console import named_study, run_import
from annotation.importing.outcome import BadField
from annotation.importing.prediction_cells import FIELDS


class Command(BaseCommand):
    help = "Import scores or labels of metrics or models from a CSV. A mistake changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name.")
        parser.add_argument("file", type=Path, help="CSV, UTF-8; may be packed as .gz.")
        parser.add_argument("--dry-run", action="store_true", help="Check everything, store nothing.")
        parser.add_argument(
            "--map",
            default="",
            metavar="dialogue=id,...",
            help=f"Our field = the file's column. Fields: {', '.join(FIELDS)}.",
        )
        parser.add_argument(
            "--metrics",
            default="",
            metavar="bleu,judge=appropriateness,...",
            help="Columns that are a metric each; labels with their criterion.",
        )
        parser.add_argument("--metric", default="", metavar="NAME", help="Of the one metric in value and label.")
        parser.add_argument("--criterion", default="", metavar="KEY", help="What labels are answers to.")
        parser.add_argument(
            "--lower-is-better", default="", metavar="nll,...", help="Metrics whose low scores are the good ones."
        )
        parser.add_argument("--note", default="", help="Printed beside the metrics: how they were made.")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        run = partial(
            import_predictions,
            named_study(options["study"]),
            path,
            options=_options(options),
            is_dry_run=options["dry_run"],
            now=timezone.now(),
        )
        run_import(lambda progress: run(progress=progress), path, self.stdout, self.stderr)


def _options(options: dict[str, Any]) -> PredictionOptions:
    try:
        columns = parse_map(options["map"])
    except BadField as error:
        raise CommandError(f"--map: {error.reason}.") from None
    return PredictionOptions(
        columns=columns,
        metrics=_names(options["metrics"]),
        metric=options["metric"],
        criterion=options["criterion"],
        lower_is_better=_names(options["lower_is_better"]),
        note=options["note"],
    )


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
