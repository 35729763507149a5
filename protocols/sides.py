"""The two sides of a comparison: which option is the mirror of which, and whether the options of a bundle have mirrors.

Annotators see two candidates in an order drawn for each of them. Answers are stored by candidate: where the order was
turned round, the stored option is the mirror of the one that was chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from protocols.models import Criterion, Option, ProtocolVersion
from protocols.schema import BundleError, one_of

Entry = Mapping[str, Any]
Role = Option.Role
SIDES = (Role.LEFT, Role.RIGHT)
OF_A_PAIR = (*SIDES, Role.EQUAL, Role.BOTH_BAD)
BOTH_SIDES = gettext_lazy("a left and a right option")
ROLES_OF_A_COMPARISON = (*OF_A_PAIR, Role.UNSURE, Role.EXCLUDING)


def mirror_places(roles: Sequence[str]) -> dict[int, int]:
    """Return the place of each option's mirror. Left and right options mirror each other by distance from the middle.

    An option without a side is its own mirror.
    """
    sided = [at for at, role in enumerate(roles) if role in SIDES]
    return {at: at for at in range(len(roles))} | dict(zip(sided, reversed(sided), strict=True))


def has_sides(options: Sequence[Entry]) -> bool:
    return any(option["role"] in SIDES for option in options)


def side_errors(path: str, criterion: Entry, unit: str) -> Iterator[BundleError]:
    """Yield the faults of a criterion's sides: those of a comparison, or sides where nothing is compared."""
    if unit != ProtocolVersion.Unit.COMPARISON:
        yield from _misplaced(path, criterion["options"], unit)
        return
    if criterion["kind"] != Criterion.Kind.SINGLE:
        message = _("is %(value)s, but a comparison has one answer") % {"value": criterion["kind"]}
        yield BundleError(f"{path}.kind", message, "single")
        return
    errors = list(chain(_role_errors(f"{path}.options", criterion["options"]), _missing_side(path, criterion)))
    yield from errors or _mirror_errors(f"{path}.options", criterion)


def _misplaced(path: str, options: Sequence[Entry], unit: str) -> Iterator[BundleError]:
    """Yield one error for a whole pair of sides, at the unit that it lacks, otherwise one for each role."""
    if {option["role"] for option in options}.issuperset(SIDES):
        message = _("is %(unit)s, but its answers are the sides of a comparison") % {"unit": unit}
        yield BundleError(f"{path}.unit", message, ProtocolVersion.Unit.COMPARISON.value)
        return
    for number, option in enumerate(options):
        if option["role"] in OF_A_PAIR:
            found = {"role": option["role"], "unit": unit}
            message = _("is %(role)s, but the question is about a %(unit)s") % found
            yield BundleError(f"{path}.options[{number}].role", message, _("another role, or unit: comparison"))


def _role_errors(path: str, options: Sequence[Entry]) -> Iterator[BundleError]:
    for number, option in enumerate(options):
        if option["role"] not in ROLES_OF_A_COMPARISON:
            message = _("is %(role)s, which says nothing about two sides") % {"role": option["role"]}
            yield BundleError(f"{path}[{number}].role", message, one_of(map(str, ROLES_OF_A_COMPARISON)))


def _missing_side(path: str, criterion: Entry) -> Iterator[BundleError]:
    roles = [option["role"] for option in criterion["options"]]
    for side in SIDES:
        if side not in roles:
            message = _("has no option with the role %(side)s") % {"side": str(side)}
            yield BundleError(f"{path}.options", message, str(BOTH_SIDES))


def _mirror_errors(path: str, criterion: Entry) -> Iterator[BundleError]:
    """Yield the options that are not like their mirror: an answer could not be stored for the other candidate."""
    options = criterion["options"]
    mirrors = mirror_places([option["role"] for option in options])
    for at, other in mirrors.items():
        place, option, mirror = f"{path}[{at}]", options[at], options[other]
        if option["role"] in SIDES and option["role"] == mirror["role"]:
            message = _("“%(label)s” has no mirror: as many left as right options are needed, the left ones first")
            yield BundleError(place, message % {"label": option["label"]}, _("for example left, equal, right"))
            return
        if option["role"] == Role.RIGHT and other > at:
            message = _("“%(label)s” is right and stands before its mirror, “%(mirror)s”")
            found = {"label": option["label"], "mirror": mirror["label"]}
            yield BundleError(place, message % found, _("left options first"))
            return
    for at, other in mirrors.items():
        if at < other:
            yield from _unlike_errors(f"{path}[{other}]", options[at], options[other])
    yield from _number_errors(path, criterion, mirrors)


def _unlike_errors(path: str, left: Entry, right: Entry) -> Iterator[BundleError]:
    for name in ("asks", "words_min", "words_max"):
        if left[name] != right[name]:
            message = _("is %(value)s, but its mirror “%(label)s” has %(other)s")
            found = {"value": right[name], "label": left["label"], "other": left[name]}
            yield BundleError(f"{path}.{name}", message % found, str(left[name]))
    wanted = [each["key"] for each in left["explanations"]]
    if wanted != [each["key"] for each in right["explanations"]]:
        message = _("are not those of its mirror “%(label)s”") % {"label": left["label"]}
        yield BundleError(f"{path}.explanations", message, ", ".join(wanted) or _("none"))


def _number_errors(path: str, criterion: Entry, mirrors: Mapping[int, int]) -> Iterator[BundleError]:
    """Require numbers to mirror each other too: a pair of options at -2 and 1 would favour a side."""
    options = criterion["options"]
    if criterion["scale"] == Criterion.Scale.NOMINAL:
        return
    for at, option in enumerate(options):
        if option["role"] == Role.BOTH_BAD:
            message = _("is both_bad, which has no place in an order")
            yield BundleError(f"{path}[{at}].role", message, _("another role, or scale: nominal"))
    numbers = {at: options[at]["value"] for at in mirrors if options[at]["role"] in (*SIDES, Role.EQUAL)}
    if None in numbers.values():
        return  # said elsewhere: an ordered scale needs numbers
    sums = {numbers[at] + numbers[mirrors[at]] for at in numbers}
    if len(sums) > 1:
        message = _("are not at the same distance from the middle as those of their mirrors")
        yield BundleError(f"{path}.value", message, _("for example -1, 0, 1"))
