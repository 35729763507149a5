from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand
from django.utils import timezone

from protocols.management.commands._reading import read_bundle, refusal
from protocols.schema import InvalidBundle
from protocols.services import store_bundle


class Command(BaseCommand):
    help = "Store a protocol bundle (YAML or JSON). The same contents again change nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--publish", action="store_true", help="Freeze the version, so that studies can use it.")

    def handle(self, *args, file: Path, publish: bool, **options) -> None:
        doc = read_bundle(file)
        try:
            version, is_new = store_bundle(doc, publish=publish, now=timezone.now())
        except InvalidBundle as error:
            raise refusal(file, error.errors) from None
        self.stdout.write(f"{version} ({version.status}) is {'stored' if is_new else 'there already'}.")
