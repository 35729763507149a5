"""Describe crowd platforms as data. A new platform is one more `Provider`.

Nothing here uses a database or a request. A platform defines which parameters of an address name the person, the study
and the session, how it is told that the work has ended, and what its files look like.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Generic, TypeVar

# The ids that platforms give: opaque, and harmless in a file that a spreadsheet opens.
OPAQUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Arrival:
    """Hold what the platform's parameters say about one arriving person: nothing but opaque ids."""

    provider: str
    person: str
    platform_study: str
    session: str


class BadArrival(Exception):
    """Name the parameters that are missing, not filled in, or no ids of the platform."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(", ".join(names))
        self.names = tuple(names)


@dataclass(frozen=True, slots=True)
class Work:
    """Hold one submission of one person, to be approved."""

    person: str
    platform_study: str
    session: str
    state: str  # of the entry


@dataclass(frozen=True, slots=True)
class Bonus:
    """Hold what is still to be paid to one person, to the cent."""

    person: str
    session: str
    amount: Decimal
    reason: str


@dataclass(frozen=True, slots=True)
class Sheet(Generic[T]):
    """Define a file for the platform: its heading, which may be empty, and the row of each entry."""

    row: Callable[[T], tuple[str, ...]]
    heading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Demography:
    """Define the file in which a platform gives demographics."""

    person: str  # `person` and `session` are headings of columns
    session: str
    apart: frozenset[str] = frozenset()  # columns that say nothing about the person
    unknown: frozenset[str] = frozenset()  # values that stand for a missing value


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    key: str
    name: str
    person: str  # names of parameters of the address
    platform_study: str
    session: str
    home: str = ""  # the platform's address, unless the parameters or the study say otherwise
    end_path: str = ""  # path below `home`
    code_field: str = ""
    is_closed: bool = False  # nobody can join through it; its files are still written for those who did
    link_parameters: str = ""  # end of the study's address that is entered on the platform
    approvals: Sheet[Work]
    approved_states: frozenset[str] = field(default_factory=frozenset)  # states of the entries in the file of approvals
    bonuses: Sheet[Bonus]
    demography: Demography | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.person, self.platform_study, self.session

    def arrival(self, parameters: Mapping[str, str]) -> Arrival:
        """Return who arrives. Raise BadArrival, also for a template that the platform has not filled in."""
        bad = [name for name in self.parameters if not OPAQUE_ID.fullmatch(parameters.get(name, ""))]
        if bad:
            raise BadArrival(bad)
        person, platform_study, session = (parameters[name] for name in self.parameters)
        return Arrival(self.key, person, platform_study, session)
