"""Looking protocols up."""

import re
from pathlib import Path

from django.db.models import QuerySet

from protocols.models import ProtocolVersion

BUILTIN = Path(__file__).with_name("builtin")
PLAIN_VERSION = re.compile(r"\d+(\.\d+)*")


def builtin_bundles() -> list[Path]:
    return sorted(BUILTIN.glob("*.yaml"))


def find_version(name: str) -> ProtocolVersion:
    """The version called `slug@version`, of any status; or of `slug` alone the one to use.

    That is the highest published version without a suffix (1.10 is above 1.9, and 1.0 is taken before
    1.0-three-criteria however new that is); if all have a suffix, the one published last.
    Raises ProtocolVersion.DoesNotExist with a sentence that names what there is.
    """
    slug, _, wanted = name.partition("@")
    versions = ProtocolVersion.objects.select_related("protocol").filter(protocol__slug=slug)
    published = versions.filter(status=ProtocolVersion.Status.PUBLISHED).order_by("-published_at", "-pk")
    found = versions.filter(version=wanted).first() if wanted else _preferred(list(published))
    if found is None:
        raise ProtocolVersion.DoesNotExist(f"There is no protocol {name}. {_known(versions)}")
    return found


def _preferred(newest_first: list[ProtocolVersion]) -> ProtocolVersion | None:
    plain = [version for version in newest_first if PLAIN_VERSION.fullmatch(version.version)]
    if plain:
        return max(plain, key=_numbers)
    return newest_first[0] if newest_first else None


def _numbers(version: ProtocolVersion) -> list[int]:
    return [int(part) for part in version.version.split(".")]


def _known(versions: QuerySet[ProtocolVersion]) -> str:
    """Of the protocol asked for if it exists, else of all."""
    rows = versions if versions.exists() else ProtocolVersion.objects.select_related("protocol")
    names = [f"{row.protocol.slug}@{row.version} ({row.status})" for row in rows.order_by("protocol__slug", "pk")[:20]]
    return f"Known: {', '.join(names)}." if names else "None is stored: load_protocols stores those that ship."
