from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from reporting.report.build import build_report, open_report
from reporting.report.downloads import as_csv, as_json
from reporting.report.frames import TABLES


class Command(BaseCommand):
    help = "Print the report of a study: everything as JSON, or one table as CSV."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name.")
        parser.add_argument("--format", choices=("json", "csv"), default="json")
        parser.add_argument("--table", choices=sorted(TABLES), default="agreement", help="Which table, for CSV.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.select_related("protocol_version__protocol").filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        now = timezone.now()
        if options["format"] == "json":
            text = as_json(build_report(study, now=now))
        else:
            text = as_csv(open_report(study, now=now), options["table"])
        self.stdout.write(text, ending="")
