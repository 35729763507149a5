"""Make an empty installation ready for the first visitor."""

import io
import secrets
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from annotation.models import Study
from protocols.selectors import find_version

OWNER = "owner"
SAMPLE = "sample"


class Command(BaseCommand):
    help = "Make an owner account, the built-in protocols and a sample study, once; then print where to go."
    # Every start runs this command. Only the first has work to do, so the system checks would just slow the others.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument(
            "--base-url", required=True, help="where the server answers, for example http://127.0.0.1:8000"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        password = ""
        if not User.objects.filter(is_superuser=True).exists():
            password = self._make_all()
        self._print(options["base_url"].rstrip("/"), password)

    @transaction.atomic
    def _make_all(self) -> str:
        """Create everything or nothing, so that an interrupted first start is repeated. Return the owner's password."""
        password = secrets.token_urlsafe(9)
        owner = User.objects.create_superuser(OWNER, password=password)
        call_command("load_protocols", stdout=io.StringIO())
        if not Study.objects.exists():
            from annotation.services.sample import make_sample_study

            make_sample_study(SAMPLE, protocol_version=find_version("he-protocol"), owner=owner, now=timezone.now())
        return password

    def _print(self, base: str, password: str) -> None:
        study = Study.objects.filter(slug=SAMPLE).first()
        lines = [] if study is None else [
            ("Rate as an annotator", f"/join/{study.join_token}/"),
            ("Live board", f"/studies/{study.slug}/board/"),
        ]  # fmt: skip
        for what, path in [*lines, ("Admin", "/admin/")]:
            self.stdout.write(f"  {what + ':':<22}{base}{path}")
        if password:
            self.stdout.write(f"  Sign in as {OWNER} with the password {password}  (shown this once)")
