from django.core.management.base import BaseCommand
from django.utils import timezone

from protocols.bundles import Bundle
from protocols.management.commands._reading import read_bundle, refusal
from protocols.models import ProtocolVersion
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
            self.stdout.write(f"{version}: {'loaded' if is_new else 'there already'}{_instead_of(doc, version)}")


def _instead_of(doc: Bundle, version: ProtocolVersion) -> str:
    """Return a note if the contents are stored under another name because their own was taken."""
    if doc["version"] == version.version:
        return ""
    return f" ({doc['version']} is stored with earlier contents, and stays as it is)"
