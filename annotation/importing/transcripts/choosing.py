"""Choose which responses of a chat log are rated."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.utils.translation import gettext as _

from annotation.importing.outcome import BadField
from annotation.importing.transcripts.messages import ASSISTANT, ROLES, USER

RATE_ALL, LAST, EVERY, FROM, RATE_NONE = "all", "last", "every", "from", "none"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rate:
    """`all`, `last`, `every` n-th, all `from` the n-th on, or `none`."""

    way: str = RATE_ALL
    n: int = 1

    def chosen(self, responses: Sequence[T]) -> Sequence[T]:
        if self.way == RATE_NONE:
            return []
        if self.way == LAST:
            return responses[-1:]
        if self.way == EVERY:
            return responses[self.n - 1 :: self.n]
        return responses[self.n - 1 :]


def parse_rate(text: str) -> Rate:
    """Parse all, last, every:K, from:N or none. Raise BadField."""
    way, _colon, number = text.strip().partition(":")
    if way in (RATE_ALL, LAST, RATE_NONE) and not number:
        return Rate(way)
    if way in (EVERY, FROM) and number.isascii() and number.isdigit() and 0 < len(number) < 5 and int(number) > 0:
        return Rate(way, int(number))
    text = _("%(rate)r is not a choice of responses: use all, last, every:K, from:N or none, for example every:2") % {
        "rate": text
    }
    raise BadField("rate", text)


def parse_roles(names: Iterable[str]) -> frozenset[str]:
    """Return the roles whose messages are rated: the assistant if none is named. Raise BadField."""
    found = set()
    for name in names:
        role = ROLES.get(name.strip().casefold(), "")
        if role not in (ASSISTANT, USER):
            text = _(
                "messages of %(role)r cannot be rated: use assistant or user. System prompts and tools are context"
            )
            raise BadField("role", text % {"role": name})
        found.add(role)
    return frozenset(found or {ASSISTANT})
