from django.core.management.base import BaseCommand
from django.utils import timezone

from protocols.management.commands._reading import read_bundle, refusal
from protocols.schema import InvalidBundle
from protocols.selectors import builtin_bundles
from protocols.services import store_shipped


class Command(BaseCommand):
    help = (
        "Store and publish the protocols that ship with Parley. Running it again is safe: "
        "stored versions stay as they are."
    )

    def handle(self, *args, **options) -> None:
        for path in builtin_bundles():
            doc = read_bundle(path)
            try:
                version, is_new = store_shipped(doc, now=timezone.now())
            except InvalidBundle as error:
                raise refusal(path, error) from None
            note = ""
            if doc["version"] != version.version:  # its own name was taken
                note = f" ({doc['version']} is stored with earlier contents, and stays as it is)"
            self.stdout.write(f"{version}: {'loaded' if is_new else 'there already'}{note}")
