"""Everything that writes a protocol."""

from datetime import datetime

from django.db import transaction

from protocols.bundles import VERSION_FIELDS, Bundle, bundle_hash, complete_bundle, dump_bundle
from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.schema import BundleError, InvalidBundle


class VersionTaken(InvalidBundle):
    """The version exists with other contents."""


@transaction.atomic
def store_bundle(doc: Bundle, *, publish: bool, now: datetime) -> tuple[ProtocolVersion, bool]:
    """Write a bundle to rows; True if the version is new.

    Storing the same contents again returns the version that exists, published now if that was asked for.
    Raises InvalidBundle, or VersionTaken if the version's name stands for other contents.
    """
    full = complete_bundle(doc)
    protocol = _locked_protocol(full)
    version = protocol.versions.filter(version=full["version"]).first()
    is_new = version is None
    if version is None:
        version = _create_version(protocol, full)
    elif _hash_of(version) != bundle_hash(full):
        message = f"{version} is stored with other contents"
        raise VersionTaken([BundleError("version", message, "another version for changed contents")])
    return (publish_version(version, now=now) if publish else version), is_new


@transaction.atomic
def publish_version(version: ProtocolVersion, *, now: datetime) -> ProtocolVersion:
    """Freeze a draft under its hash. A version that is published or retired already is returned as it is."""
    # The lock comes first: a part added between hashing and freezing would belie the hash (see migration 0002).
    locked = ProtocolVersion.objects.select_for_update().select_related("protocol").get(pk=version.pk)
    if locked.status != ProtocolVersion.Status.DRAFT:
        return locked
    locked.sha256 = bundle_hash(dump_bundle(locked))
    locked.status = ProtocolVersion.Status.PUBLISHED
    locked.published_at = now
    locked.save(update_fields=["sha256", "status", "published_at"])
    return locked


def _locked_protocol(full: Bundle) -> Protocol:
    """The lock makes two simultaneous imports of one version wait for each other instead of failing."""
    Protocol.objects.get_or_create(slug=full["protocol"], defaults={"name": full["name"]})
    protocol = Protocol.objects.select_for_update().get(slug=full["protocol"])
    if protocol.name != full["name"]:
        raise VersionTaken([BundleError("name", "differs from the stored name of this protocol", protocol.name)])
    return protocol


def _hash_of(version: ProtocolVersion) -> str:
    return version.sha256 or bundle_hash(dump_bundle(version))


def _create_version(protocol: Protocol, full: Bundle) -> ProtocolVersion:
    own = {field: full[field] for field in VERSION_FIELDS}
    version = ProtocolVersion.objects.create(protocol=protocol, **own)
    for position, criterion in enumerate(full["criteria"], start=1):
        _create_criterion(version, position, criterion)
    return version


def _create_criterion(version: ProtocolVersion, position: int, entry: Bundle) -> None:
    parts = {"options", "examples"}
    own = {name: value for name, value in entry.items() if name not in parts}
    criterion = Criterion.objects.create(version=version, position=position, **own)
    for place, option in enumerate(entry["options"], start=1):
        _create_option(criterion, place, option)
    Example.objects.bulk_create(
        Example(criterion=criterion, position=place, **example)
        for place, example in enumerate(entry["examples"], start=1)
    )


def _create_option(criterion: Criterion, position: int, entry: Bundle) -> None:
    own = {name: value for name, value in entry.items() if name != "explanations"}
    option = Option.objects.create(criterion=criterion, position=position, **own)
    Explanation.objects.bulk_create(
        Explanation(option=option, position=place, **explanation)
        for place, explanation in enumerate(entry["explanations"], start=1)
    )
