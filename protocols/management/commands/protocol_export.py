from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError, CommandParser

from protocols.bundles import dump_bundle, write_yaml
from protocols.models import ProtocolVersion
from protocols.selectors import find_version


class Command(BaseCommand):
    help = "Write a stored protocol as a YAML bundle to standard output."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs) -> CommandParser:
        # Django's own --version, which prints Django's, gives way.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="he-protocol, or he-protocol@1.0-three-criteria.")
        parser.add_argument("--version", default="", help="Of the protocol; without it, the one studies would use.")

    def handle(self, *args, name: str, version: str = "", **options) -> None:
        try:
            found = find_version(f"{name}@{version}" if version else name)
        except ProtocolVersion.DoesNotExist as error:
            raise CommandError(str(error)) from None
        self.stdout.write(write_yaml(dump_bundle(found)), ending="")
