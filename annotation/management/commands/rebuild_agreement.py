from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.models import Study
from annotation.services.agreement import rebuild_study


class Command(BaseCommand):
    help = "Recompute the stored agreement of a study from its ratings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        self.stdout.write(f"{rebuild_study(study, now=timezone.now())} batches computed again.")
