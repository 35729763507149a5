from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from protocols.bundles import bundle_hash
from protocols.management.commands._reading import read_bundle


class Command(BaseCommand):
    help = "Check a protocol bundle (YAML or JSON) without storing it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args, file: Path, **options) -> None:
        doc = read_bundle(file)
        self.stdout.write(f"{doc['protocol']} {doc['version']} is valid. sha256 {bundle_hash(doc)}")
