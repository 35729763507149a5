"""The versions of the software that computed the numbers."""

import platform
import tomllib
from functools import cache
from importlib.metadata import version

from django.conf import settings

PACKAGES = ("numpy", "scipy", "krippendorff")


@cache
def versions() -> dict[str, str]:
    """Return {name: version}. Parley is not installed as a package, so its version comes from pyproject.toml."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = {name: version(name) for name in PACKAGES}
    return {"parley": project["version"], "python": platform.python_version(), **installed}
