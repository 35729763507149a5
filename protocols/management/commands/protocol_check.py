from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from protocols.bundles import bundle_hash, complete_bundle
from protocols.linting import lint
from protocols.management.commands._reading import read_bundle


class Command(BaseCommand):
    help = "Check a protocol bundle (YAML or JSON) without storing it. Warnings do not make it invalid."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args, file: Path, **options) -> None:
        doc = read_bundle(file)
        for warning in lint(complete_bundle(doc)):
            self.stdout.write(f"{file}: warning: {warning}")
        self.stdout.write(f"{doc['protocol']}@{doc['version']} is valid. sha256 {bundle_hash(doc)}")
