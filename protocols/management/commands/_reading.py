"""What the commands about bundles share."""

from pathlib import Path

from django.core.management.base import CommandError

from protocols.bundles import Bundle, check_bundle, load_bundle
from protocols.schema import BundleError, InvalidBundle


def read_bundle(path: Path) -> Bundle:
    """A valid bundle, or CommandError with one line for each fault."""
    try:
        doc = load_bundle(path)
    except InvalidBundle as error:
        raise refusal(path, error.errors) from None
    if errors := check_bundle(doc):
        raise refusal(path, errors)
    return doc


def refusal(path: Path, errors: list[BundleError]) -> CommandError:
    count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    return CommandError("\n".join([f"{path.name} has {count}.", *map(str, errors)]))
