"""Read settings from the environment, and the secret key from its file. An error names the malformed variable."""

import os
import secrets
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def env_text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def env_bool(name: str, default: bool) -> bool:
    raw = env_text(name).lower()
    if raw in {"", "1", "true", "yes", "on", "0", "false", "no", "off"}:
        return raw in {"1", "true", "yes", "on"} if raw else default
    raise ImproperlyConfigured(f"{name}={raw!r} is not a yes or no. Use 1 or 0.")


def env_int(name: str, default: int, least: int = 0) -> int:
    raw = env_text(name)
    try:
        value = int(raw) if raw else default
    except ValueError:
        raise ImproperlyConfigured(f"{name}={raw!r} is not a whole number, for example {default}.") from None
    if value < least:
        raise ImproperlyConfigured(f"{name}={value} is too small: the least is {least}.")
    return value


def env_list(name: str, default: tuple[str, ...] = ()) -> list[str]:
    return [part.strip() for part in env_text(name).split(",") if part.strip()] or list(default)


def env_addresses(name: str) -> list[str]:
    addresses = env_list(name)
    for address in addresses:
        parts = urlsplit(address)
        is_fine = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
        try:
            is_fine = is_fine and not parts.fragment and parts.port != 0
        except ValueError:
            is_fine = False
        if not is_fine:
            # The message does not repeat the address, which may contain a password.
            raise ImproperlyConfigured(f"{name} has an address that must look like https://api.example.org/v1.")
    return addresses


def env_choice(name: str, choices: tuple[str, ...]) -> str:
    value = env_text(name, choices[0])
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r} is unknown. Use one of: {', '.join(choices)}.")
    return value


def database(url: str) -> dict:
    """Return a Django database entry for postgres://user:password@host:port/name?host=/socket/directory."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or len(parts.path) < 2:
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgres://user:password@host:5432/name. Parley needs PostgreSQL."
        )
    try:
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured("DATABASE_URL has a port that is not a number.") from None
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or parts.hostname or "",
        "PORT": str(port or ""),
        "CONN_MAX_AGE": env_int("PARLEY_DB_CONN_MAX_AGE", 60),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": query,
    }


def redis_address(url: str) -> str:
    """Return the address of the same server for redis-py: Celery writes redis+socket://, redis-py unix://."""
    if url.startswith("redis+socket://"):
        parts = urlsplit(url)
        number = parse_qs(parts.query).get("virtual_host", ["0"])[-1]
        return f"unix://{parts.path}?db={number}"
    if url.startswith(("redis://", "rediss://", "unix://")):
        return url
    raise ImproperlyConfigured("REDIS_URL must look like redis://host:6379/0 or redis+socket:///path?virtual_host=0.")


def kept_secret(path: Path) -> str:
    """Return the secret key of a local installation. It is created once, and only its owner can read it."""
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        key = secrets.token_urlsafe(50)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(key)
        except FileExistsError:  # another process of the same start was quicker
            return path.read_text(encoding="ascii")
        return key
