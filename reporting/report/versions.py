"""The versions of the software that computed the numbers."""

import platform
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Versions:
    parley: str
    python: str
    numpy: str
    scipy: str
    krippendorff: str


@cache
def versions() -> Versions:
    """Return the versions. Parley is not installed as a package, so its own comes from pyproject.toml."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return Versions(
        project["version"], platform.python_version(), version("numpy"), version("scipy"), version("krippendorff")
    )
