from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from protocols.bundles import canonical_json, dump_bundle, readable_json, readable_yaml
from protocols.management.commands._reading import refusal, stored_version
from protocols.schema import InvalidBundle

WRITERS = {
    "yaml": readable_yaml,
    "json": readable_json,
    "canonical": lambda version: canonical_json(dump_bundle(version)).decode(),
}


class Command(BaseCommand):
    help = "Write a stored protocol as a bundle, without the values that are defaults."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs) -> CommandParser:
        # This --version replaces Django's option, which prints Django's version.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Such as he-protocol or he-protocol@1.0-three-criteria.")
        parser.add_argument(
            "--version", default="", help="The version to write. If left out: the one that new studies use."
        )
        parser.add_argument("--format", choices=["yaml", "json"], default="yaml")
        parser.add_argument(
            "--canonical",
            action="store_true",
            help="With --format json: the exact bytes that the SHA-256 is computed from.",
        )
        parser.add_argument("--output", type=Path, help="The file to write. If left out: standard output.")

    def handle(self, *args, name: str, version: str, format: str, canonical: bool, output: Path, **options) -> None:
        if canonical and format != "json":
            raise CommandError("--canonical goes with --format json.")
        found = stored_version(f"{name}@{version}" if version else name)
        try:
            text = WRITERS["canonical" if canonical else format](found)
        except InvalidBundle as error:  # a draft can be invalid
            raise refusal(f"{found.protocol.slug}@{found.version}", error) from None
        if output is None:
            self.stdout.write(text, ending="")
            return
        try:
            output.write_text(text, encoding="utf-8", newline="\n")  # the same bytes on every system
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}.") from None
