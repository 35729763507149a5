from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from annotation.forms import RESERVED_SLUGS
from annotation.models import Study
from annotation.services.refusals import Refused
from annotation.services.studies import ensure_study
from protocols.management.commands._reading import read_bundle
from protocols.models import ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import find_version
from protocols.services import store_bundle


class Command(BaseCommand):
    help = "Create a study. Running it again with the same protocol changes nothing."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("slug", help="short name of the study, part of its address")
        parser.add_argument("--protocol", required=True, help="slug, slug@version, or the path of a bundle file")
        parser.add_argument("--name", default="", help="without it, made from the slug")
        parser.add_argument("--owner", default="", help="username; without it, the first superuser")
        parser.add_argument("--seats", type=int, default=3, help="annotators per batch")
        parser.add_argument(
            "--text-format",
            choices=Study.TextFormat.values,
            default="plain",
            help="how dialogues and responses are shown",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be done and do nothing")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        if slug in RESERVED_SLUGS:
            raise CommandError(f"{slug} is an address of its own. Choose another slug.")
        version, owner = self._version(options["protocol"]), self._owner(options["owner"])
        name = options["name"] or slug.replace("-", " ").capitalize()
        try:
            wanted = {"name": name, "owner": owner, "seats": options["seats"], "text_format": options["text_format"]}
            study, is_new = ensure_study(slug=slug, protocol_version=version, now=timezone.now(), **wanted)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        except ValidationError as error:
            said = [f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items()]
            raise CommandError("\n".join(said)) from None
        if options["dry_run"]:
            transaction.set_rollback(True)
        what = ("would be created" if options["dry_run"] else "created") if is_new else "unchanged"
        self.stdout.write(f"Study {study.slug} ({study.protocol_version}): {what}")

    def _version(self, protocol: str) -> ProtocolVersion:
        path = Path(protocol)
        try:
            if path.suffix not in {".yaml", ".yml", ".json"}:
                return find_version(protocol)
            if not path.is_file():
                raise CommandError(f"There is no file {path}.")
            return store_bundle(read_bundle(path), publish=True, now=timezone.now())[0]
        except InvalidBundle as error:
            raise CommandError("\n".join(map(str, error.errors))) from None
        except ProtocolVersion.DoesNotExist as error:
            raise CommandError(str(error)) from None

    def _owner(self, username: str) -> User | None:
        if not username:
            return User.objects.filter(is_superuser=True).order_by("pk").first()
        owner = User.objects.filter(username=username).first()
        if owner is None:
            raise CommandError(f"There is no account {username}.")
        return owner
