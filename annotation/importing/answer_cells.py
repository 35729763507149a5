"""Read the cells of a file with a protocol: options, reasons, multiple choices and marked turns."""

from collections.abc import Mapping
from contextlib import suppress

import orjson
from django.utils.translation import gettext as _

from annotation.importing.outcome import BadField
from parley.listing import either
from protocols.answers import Answer, Given, InvalidAnswer, alone_error, parse_answer
from protocols.models import Criterion, Option, ProtocolVersion
from protocols.specs import CriterionSpec, ExplanationSpec, OptionSpec, VersionSpec


def importable(spec: VersionSpec, is_own: bool = False) -> list[CriterionSpec]:
    """Return the questions that a file may answer. Computed answers come from our own export alone.

    Where two sides are compared, a file from elsewhere is about pairs, and not about one side.
    """
    units = {ProtocolVersion.Unit.COMPARISON} if spec.unit == ProtocolVersion.Unit.COMPARISON else {*spec.units}
    return [each for each in spec.criteria if is_own or (each.is_asked and each.unit in units)]


def asked_in_file(spec: VersionSpec, named: str = "") -> list[CriterionSpec]:
    """Return the questions that a file may answer, or the one that is named for the whole file. Raise BadField."""
    criteria = importable(spec)
    if not named:
        return criteria
    return [AnswerCells(spec).criterion(named, is_column=True)]


def with_one_option(criteria: list[CriterionSpec]) -> list[CriterionSpec]:
    """Return the questions that take one option as their answer. If only one does, a file need not name it."""
    return [each for each in criteria if each.kind == Criterion.Kind.SINGLE]


# What files say of a pair, where they do not use the protocol's own words.
ROLES_OF_WORDS = {
    "left": Option.Role.LEFT,
    "right": Option.Role.RIGHT,
    **dict.fromkeys(("tie", "equal", "same", "draw"), Option.Role.EQUAL),
    **dict.fromkeys(("both bad", "both_bad", "bothbad", "tie (bothbad)", "neither"), Option.Role.BOTH_BAD),
}


class AnswerCells:
    """Look up the criteria and options of a protocol by key or label, and options also by number."""

    def __init__(self, spec: VersionSpec, is_own: bool = False) -> None:
        criteria = importable(spec, is_own)
        single = with_one_option(criteria)
        self._is_own = is_own
        self._only = single[0] if len(single) == 1 else None
        self._criteria = {each.name.casefold(): each for each in criteria}
        self._criteria |= {each.key.casefold(): each for each in criteria}
        self._options = {each.id: options_of(each) for each in criteria}

    def criterion(self, name: str, is_column: bool) -> CriterionSpec:
        if not is_column and self._only:
            return self._only
        found = self._criteria.get(name.strip().casefold())
        if found is None:
            known = ", ".join(dict.fromkeys(each.key for each in self._criteria.values()))
            text = _("%(name)r is not in the protocol: use %(known)s")
            if not known:
                text = _("%(name)r is not in the protocol, which has no question that a file may answer")
            raise BadField("criterion", text % {"name": name, "known": known})
        return found

    def option(self, criterion: CriterionSpec, value: str, field: str = "value") -> OptionSpec:
        found = self.find_option(criterion, value)
        if found is None:
            known = ", ".join(option.label for option in criterion.options)
            text = _("%(value)r is not an answer to %(criterion)s: use %(known)s")
            raise BadField(field, text % {"value": value, "criterion": criterion.key, "known": known})
        return found

    def find_option(self, criterion: CriterionSpec, value: str) -> OptionSpec | None:
        options = self._options[criterion.id]
        return options.get(value.strip().casefold()) or options.get(number_of(value))

    def preference(self, criterion: CriterionSpec, value: str, sides: Mapping[str, str], field: str) -> OptionSpec:
        """Return the option for what a file says of a pair: an answer of the protocol, otherwise a side or a tie.

        `sides` are the roles of names that mean a side here, such as that of a source.
        """
        found = self.find_option(criterion, value)
        word = value.strip().casefold()
        role = sides.get(word) or ROLES_OF_WORDS.get(word)
        if found or not role:
            return found or self.option(criterion, value, field)
        options = [option for option in criterion.options if option.role == role]
        if not options:
            text = _("%(criterion)s has no answer for %(value)r: leave these rows out, or use a protocol that has it")
            raise BadField(field, text % {"criterion": criterion.key, "value": value})
        if len(options) > 1:
            text = _("%(value)r may be %(labels)s: write which")
            raise BadField(field, text % {"value": value, "labels": either(option.label for option in options)})
        return options[0]

    def choices(self, criterion: CriterionSpec, cell: str) -> list[int]:
        """Return the ids of the options listed in the cell, separated by |, in the protocol's order. Raise BadField."""
        chosen = [self.option(criterion, part, "choices") for part in parts_of(cell)]
        if sentence := alone_error(chosen):
            raise BadField("choices", sentence)
        if self._is_own and chosen:  # it was valid when it was given
            return [option.id for option in criterion.options if option in chosen]
        return list(_parsed(criterion, Given(options=tuple(each.code for each in chosen)), "choices").choice_ids)

    def turns(self, criterion: CriterionSpec, cell: str) -> list[int]:
        """Return the turn numbers that the cell lists, separated by |. `refuse_wrong_turns` compares them later."""
        turns = tuple(whole(part, "turns", 1) for part in parts_of(cell))
        return list(_parsed(criterion, Given(turns=turns), "turns", max(turns, default=0)).turns)


def _parsed(criterion: CriterionSpec, given: Given, field: str, n_turns: int = 0) -> Answer:
    try:
        return parse_answer(criterion, given, n_turns)
    except InvalidAnswer as error:
        raise BadField(field, str(error)) from None


def options_of(criterion: CriterionSpec) -> dict[str | float | None, OptionSpec]:
    """Return options by number, label and key. Keys win over labels, and labels over numbers."""
    options: dict[str | float | None, OptionSpec] = {
        each.value: each for each in criterion.options if each.value is not None
    }
    options |= {each.label.casefold(): each for each in criterion.options}
    return options | {each.key.casefold(): each for each in criterion.options}


def number_of(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def parts_of(cell: str) -> list[str]:
    """Return the parts of a cell with bars between them, or of a list as JSON."""
    parts = cell.split("|")
    if cell.startswith("["):
        with suppress(orjson.JSONDecodeError):
            parts = [str(part) for part in orjson.loads(cell)]
    return [part.strip() for part in parts if part.strip()]


def whole(text: str, field: str, least: int = 0) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise BadField(
            field, _("%(text)r is not a whole number of at least %(least)s") % {"text": text, "least": least}
        )
    return int(text)


def find_explanation(option: OptionSpec, name: str) -> ExplanationSpec | None:
    """Return the reason with this key or text, otherwise the only one with this sub-dimension, or None."""
    wanted = name.strip().casefold()
    for each in option.explanations:
        if wanted in (each.key.casefold(), each.text.casefold()):
            return each
    alike = [each for each in option.explanations if each.sub_dimension.casefold() == wanted]
    return alike[0] if len(alike) == 1 else None


def explanation_ids(option: OptionSpec, cell: str) -> list[int]:
    """Return the sorted ids of the reasons that the cell lists, separated by |. Raise BadField."""
    found = set()
    for part in parts_of(cell):
        explanation = find_explanation(option, part)
        if explanation is None:
            known = ", ".join(each.key for each in option.explanations)
            text = _("%(key)r is not an explanation of %(option)s: use %(known)s")
            if not known:
                text = _("%(key)r is not an explanation of %(option)s, which has none")
            raise BadField("explanations", text % {"key": part, "option": option.label, "known": known})
        found.add(explanation.id)
    return sorted(found)
