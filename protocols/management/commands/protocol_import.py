from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand
from django.utils import timezone

from protocols.bundles import bundle_hash
from protocols.management.commands._reading import read_bundle, refusal
from protocols.schema import InvalidBundle
from protocols.services import rehearse_bundle, store_bundle


class Command(BaseCommand):
    help = "Store a protocol bundle (YAML or JSON). Importing the same contents twice is safe."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--publish", action="store_true", help="Publish the version, so that studies can use it.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen; change nothing.")

    def handle(self, *args, file: Path, publish: bool, dry_run: bool, **options) -> None:
        doc = read_bundle(file)
        try:
            version, is_new = (rehearse_bundle if dry_run else store_bundle)(doc, publish=publish, now=timezone.now())
        except InvalidBundle as error:
            raise refusal(file, error) from None
        done = "would be stored" if dry_run else "is stored"
        name = f"{version.protocol.slug}@{version.version}"
        self.stdout.write(
            f"{name} ({version.status}) {done if is_new else 'is there already'}. sha256 {bundle_hash(doc)}"
        )
