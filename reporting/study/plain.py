"""Turn results into the plain values of files: JSON, CSV, spreadsheets and the API."""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

PREFIX = "prefix"


def spread(prefix: str = "") -> dict[str, str]:
    """Return the metadata of a field with a group of columns, which in files stand among those of its owner.

    With a prefix, its column `low` is called `prefix_low`, and `value` is called `prefix`. None has no columns.
    """
    return {PREFIX: prefix}


def plain(result: Any) -> Any:
    """Return a result as plain values: a dataclass is a mapping of its columns, in the order of its fields."""
    if isinstance(result, str | int | float | None):  # most are, and a report has tens of thousands
        return result
    if is_dataclass(result) and not isinstance(result, type):
        found: dict[str, Any] = {}
        for name, prefix in _fields(type(result)):
            value = plain(getattr(result, name))
            if prefix is None:
                found[name] = value
            elif prefix:
                found |= {prefix if key == "value" else f"{prefix}_{key}": each for key, each in (value or {}).items()}
            else:
                found |= value or {}
        return found
    if isinstance(result, dict):
        return {name: plain(value) for name, value in result.items()}
    return [plain(each) for each in result] if isinstance(result, (list, tuple)) else result


@cache
def _fields(kind: type) -> tuple[tuple[str, str | None], ...]:
    return tuple((each.name, each.metadata.get(PREFIX)) for each in fields(kind))
