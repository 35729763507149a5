"""The options of an export. They are plain values, because they are stored as JSON with the job."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

CELLS = ("value", "option", "label")
TRAIN, VALIDATION = 80, 10
TIES = ("leave_out", "lower")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of an export. `kind` is a kind of batch, or empty for all; `cell` is what a wide table holds.

    `with_names` adds account names. The other options are for the DiQAD data set.
    """

    kind: str = ""
    with_names: bool = False
    cell: str = "value"
    criterion: str = ""  # whose answer becomes the label; without it, the first that can be one
    seed: int | None = None  # without it, the study's
    train: int = TRAIN  # per cent; what train and validation leave is the test part
    validation: int = VALIDATION
    ties: str = "leave_out"

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "ExportOptions":
        """Return the options of a stored job, without those that this version of Parley no longer has."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})
