from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.importing.console import run_import
from archive.reader import import_archive


class Command(BaseCommand):
    help = "Restore a study from an exported archive. A mistake changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The zip of the export.")
        parser.add_argument("--slug", default="", help="Another short name than the study had.")
        parser.add_argument("--owner", default="", help="Username; without it, the first superuser.")
        parser.add_argument("--dry-run", action="store_true", help="Check everything, store nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        path, username = options["file"], options["owner"]
        wanted = User.objects.filter(username=username) if username else User.objects.filter(is_superuser=True)
        owner = wanted.order_by("pk").first()
        if username and owner is None:
            raise CommandError(f"There is no account {username}.")
        run_import(
            lambda _progress: import_archive(
                path, slug=options["slug"], owner=owner, is_dry_run=options["dry_run"], now=timezone.now()
            )[1],
            path,
            self.stdout,
            self.stderr,
        )
