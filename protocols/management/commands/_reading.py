"""What the commands about bundles share."""

from pathlib import Path

from django.core.management.base import CommandError

from protocols.bundles import Bundle, check_bundle, dump_bundle, load_bundle
from protocols.management.commands._examples import example_for
from protocols.models import ProtocolVersion
from protocols.schema import BundleError, InvalidBundle
from protocols.selectors import find_version
from protocols.services import VersionTaken


def read_bundle(path: Path) -> Bundle:
    """A valid bundle, or CommandError with one line for each fault."""
    try:
        doc = load_bundle(path)
    except InvalidBundle as error:
        raise refusal(path, error) from None
    if errors := check_bundle(doc):
        raise refusal(path, InvalidBundle(errors))
    return doc


def stored_version(name: str) -> ProtocolVersion:
    try:
        return find_version(name)
    except ProtocolVersion.DoesNotExist as error:
        raise CommandError(str(error)) from None


def read_any(name: str) -> Bundle:
    """Of a file, or of a stored version such as politeness@1.0."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml", ".json") or path.is_file():
        return read_bundle(path)
    return dump_bundle(stored_version(name))


def refusal(path: Path | str, refused: InvalidBundle) -> CommandError:
    """One line for each fault, with a right value for its place.

    What clashes with stored contents says by itself what would be right. Of a file that cannot be read, the error
    names the file already.
    """
    shown = ["" if isinstance(refused, VersionTaken) else _example(error) for error in refused.errors]
    lines = [str(error).removeprefix(f"{Path(path).name}: ") for error in refused.errors]
    return CommandError("\n".join(f"{path}: {line}{example}" for line, example in zip(lines, shown, strict=True)))


def _example(error: BundleError) -> str:
    example = example_for(error)
    return f" Example: {example}" if example else ""
