"""Queries that look up protocols and their versions."""

import re
from pathlib import Path

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from protocols.labels import status_word
from protocols.models import Criterion, Protocol, ProtocolVersion

BUILTIN = Path(__file__).with_name("builtin")
LONG_TEXTS = ("summary", "citation", "welcome", "changes", "notices", "guidelines_short", "guidelines", "translations")
PLAIN_VERSION = re.compile(r"\d+(\.\d+)*")


def builtin_bundles() -> list[Path]:
    return sorted(BUILTIN.glob("*.yaml"))


def find_version(name: str) -> ProtocolVersion:
    """Return the version called `slug@version`, of any status, or the version to use for `slug` alone.

    That is the highest published version without a suffix: 1.10 is above 1.9, and 1.0 is preferred to a newer
    1.0-three-criteria. If all have a suffix, it is the one published last.
    Raises ProtocolVersion.DoesNotExist with a sentence that names the known versions.
    """
    slug, _at, wanted = name.partition("@")
    versions = ProtocolVersion.objects.select_related("protocol").filter(protocol__slug=slug)
    published = versions.filter(status=ProtocolVersion.Status.PUBLISHED).order_by("-published_at", "-pk")
    found = versions.filter(version=wanted).first() if wanted else _preferred(list(published))
    if found is None:
        there_is = {"name": name, "known": _known(versions)}
        raise ProtocolVersion.DoesNotExist(_("There is no protocol %(name)s. %(known)s") % there_is)
    return found


def history_of(protocol: Protocol) -> QuerySet[ProtocolVersion]:
    """Return all versions of a protocol, of any status, newest first, each with the one it was made from."""
    return protocol.versions.select_related("protocol", "parent__protocol").order_by("-created_at", "-pk")


def protocol_list(search: str = "") -> QuerySet[Protocol]:
    """Return protocols by name. Each has its versions as `listed`, newest first.

    These have `n_questions`, and `own_units` that questions are about.
    """
    is_asked = ~Q(criteria__kind=Criterion.Kind.COMPUTED)
    asked = Count("criteria", filter=is_asked)
    units = ArrayAgg("criteria__unit", filter=is_asked & ~Q(criteria__unit=""), distinct=True, default=[])
    newest = ProtocolVersion.objects.defer(*LONG_TEXTS).annotate(n_questions=asked, own_units=units)
    newest = newest.order_by("-created_at", "-pk")
    found = Q(name__icontains=search) | Q(slug__icontains=search)
    return (
        Protocol.objects.filter(found).order_by("name", "pk").prefetch_related(Prefetch("versions", newest, "listed"))
    )


def is_shipped(version: ProtocolVersion) -> bool:
    """Return whether a version of this name comes with Parley; an imported version of the same name counts too."""
    return f"{version.protocol.slug}-{version.version}" in {path.stem for path in builtin_bundles()}


def next_version_name(version: ProtocolVersion) -> str:
    """Return the next free minor version: 1.0 gives 1.1, and 1.0.3 gives 1.1.0."""
    taken = set(version.protocol.versions.values_list("version", flat=True))
    name = _next_minor(version.version)
    while name in taken:
        name = _next_minor(name)
    return name


def following_name(name: str) -> str:
    """Return a name that could follow: 1.0 gives 1.1, and 1.0-short gives 1.0-short-2."""
    last = re.search(r"\d+$", name)
    return f"{name[: last.start()]}{int(last[0]) + 1}" if last else f"{name}-2"


def _next_minor(name: str) -> str:
    if not PLAIN_VERSION.fullmatch(name):
        return following_name(name)
    major, minor, *rest = name.split(".") if "." in name else (name, "0")
    return ".".join([major, str(int(minor) + 1), *("0" for _ in rest)])


def _preferred(newest_first: list[ProtocolVersion]) -> ProtocolVersion | None:
    plain = [version for version in newest_first if PLAIN_VERSION.fullmatch(version.version)]
    if plain:
        return max(plain, key=lambda version: [int(part) for part in version.version.split(".")])
    return newest_first[0] if newest_first else None


def _known(versions: QuerySet[ProtocolVersion]) -> str:
    """Return a sentence that lists versions: those of the protocol asked for or, if it does not exist, of all."""
    rows = versions if versions.exists() else ProtocolVersion.objects.select_related("protocol")
    first = rows.order_by("protocol__slug", "pk")[:20]
    names = [f"{row.protocol.slug}@{row.version} ({status_word(row.status)})" for row in first]
    if not names:
        return _("No protocols are stored. Run load_protocols to store the built-in ones.")
    return _("Known: %(names)s.") % {"names": ", ".join(names)}


def published_versions(protocol: Protocol) -> QuerySet[ProtocolVersion]:
    """Return the published versions of a protocol, newest first."""
    published = protocol.versions.filter(status=ProtocolVersion.Status.PUBLISHED).select_related("protocol")
    return published.order_by("-published_at", "-pk")
