"""Functions that the commands about bundles share."""

from pathlib import Path

from django.core.management.base import CommandError

from protocols.bundles import Bundle, check_bundle, dump_bundle, load_bundle
from protocols.management.commands._examples import example_for
from protocols.models import ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import find_version
from protocols.services import VersionTaken


def read_bundle(path: Path) -> Bundle:
    """Return a valid bundle. Raises CommandError with one line for each fault."""
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
    """Return the bundle of a file, or of a stored version such as politeness@1.0."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml", ".json") or path.is_file():
        return read_bundle(path)
    return dump_bundle(stored_version(name))


def refusal(path: Path | str, refused: InvalidBundle) -> CommandError:
    """Return an error with one line for each fault and an example of a valid value for its place.

    VersionTaken says what would be right and gets no example. The error of an unreadable file already begins with
    the file's name, which is not repeated.
    """
    lines = []
    for error in refused.errors:
        example = "" if isinstance(refused, VersionTaken) else example_for(error)
        line = str(error).removeprefix(f"{Path(path).name}: ")
        lines.append(f"{path}: {line} Example: {example}" if example else f"{path}: {line}")
    return CommandError("\n".join(lines))
