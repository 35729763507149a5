from django.core.management.base import BaseCommand
from django.utils import timezone

from protocols.management.commands._reading import read_bundle, refusal
from protocols.schema import InvalidBundle
from protocols.selectors import builtin_bundles
from protocols.services import store_bundle


class Command(BaseCommand):
    help = "Store and publish the protocols that ship with Parley. Running it again changes nothing."

    def handle(self, *args, **options) -> None:
        for path in builtin_bundles():
            try:
                version, is_new = store_bundle(read_bundle(path), publish=True, now=timezone.now())
            except InvalidBundle as error:
                raise refusal(path, error) from None
            self.stdout.write(f"{version}: {'loaded' if is_new else 'there already'}")
