from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.importing.console import named_study
from annotation.models import Study
from annotation.selectors.taking_back import taking_back_list
from annotation.services.refusals import Refused
from annotation.services.taking_back import take_back


class Command(BaseCommand):
    help = "Remove what an import made, as long as nobody has built on it. Lists the imports without TOKEN."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name.")
        parser.add_argument("token", nargs="?", default="", help="Of the import, as this command lists it.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        if not options["token"]:
            self._list(study)
            return
        try:
            job = study.imports.filter(token=options["token"]).first()
        except ValidationError:
            job = None
        if job is None:
            raise CommandError(f"There is no import {options['token']} in {study.slug}.")
        try:
            counts = take_back(job, by=None, now=timezone.now())
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(
            "\n".join([f"Taken back: {job.file_name}", *(f"  {name}: {n:,}" for name, n in counts.items())])
        )

    def _list(self, study: Study) -> None:
        for job in taking_back_list(study):
            who = job.user.get_username() if job.user else "a command"
            n = job.summary["counts"][f"{job.kind}_new"]
            what = f"{job.file_name}  {n:,} {job.kind}"
            self.stdout.write(f"{job.token}  {job.created_at:%Y-%m-%d %H:%M}  {what}  by {who}")
