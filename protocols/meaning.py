"""Check what a schema cannot check: whether the parts of a bundle fit each other."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from protocols.models import Criterion, Option, ProtocolVersion
from protocols.schema import BundleError, as_typed, at_least, at_most, n_entries, one_of
from protocols.sides import has_sides, mirror_places, side_errors

Entry = Mapping[str, Any]
Kind = Criterion.Kind
Mode = ProtocolVersion.Mode
Unit = ProtocolVersion.Unit
SHOWN_ALONE = {Unit.RESPONSE, Unit.DIALOGUE}
# What an answer about each unit can be computed from: answers about it, and about what it is a part of.
AROUND: dict[str, set[str]] = {
    Unit.RESPONSE: {Unit.RESPONSE, Unit.CANDIDATE_SET, Unit.MODEL, Unit.DIALOGUE},
    Unit.CANDIDATE_SET: {Unit.CANDIDATE_SET, Unit.MODEL, Unit.DIALOGUE},
    Unit.COMPARISON: set(),  # it is about a pair: nothing follows from it
}


def meaning_errors(doc: Entry) -> Iterator[BundleError]:
    """Yield the faults of a document whose form is valid and whose defaults are filled in."""
    for low, high in (("words_min", "words_max"), ("expected_minutes", "max_minutes")):
        if doc[low] > doc[high]:
            yield BundleError(low, *_above(doc[low], high, doc[high]))
    if all(criterion["kind"] == Kind.COMPUTED for criterion in doc["criteria"]):
        message = _("has only computed criteria, so annotators are asked nothing")
        yield BundleError("criteria", message, _("at least one of another kind"))
    yield from _mode_errors(doc)
    for field in ("key", "name"):
        yield from _repeated("criteria", doc["criteria"], field)
    for number, criterion in enumerate(doc["criteria"]):
        yield from _criterion_errors(f"criteria[{number}]", criterion, doc, doc["criteria"][:number])
    for language, texts in doc["translations"].items():
        yield from _translation_errors(f"translations.{language}", language, texts, doc)


def _above(value: object, other: str, most: object) -> tuple[str, str]:
    """Return (what is wrong, what was expected); `other` is the key of the limit that the value exceeds."""
    return _("is %(value)s, more than %(other)s") % {"value": value, "other": other}, at_most(most)


def _mode_errors(doc: Entry) -> Iterator[BundleError]:
    """Require the mode to say what is done: the report's checklist repeats it."""
    units = {_unit(criterion, doc) for criterion in doc["criteria"]}
    if Unit.COMPARISON in units and doc["mode"] != Mode.COMPARATIVE:
        yield BundleError(
            "mode", _("is %(value)s, but candidates are compared") % {"value": doc["mode"]}, "comparative"
        )
    if units <= SHOWN_ALONE and doc["mode"] == Mode.COMPARATIVE:
        message = _("is comparative, but each response or dialogue is shown alone")
        yield BundleError("mode", message, _("absolute, or a criterion with unit: comparison"))


# --- one criterion ---------------------------------------------------------------------------------
def _criterion_errors(path: str, criterion: Entry, doc: Entry, earlier: list[Entry]) -> Iterator[BundleError]:
    options = criterion["options"]
    for field in ("key", "label"):
        yield from _repeated(f"{path}.options", options, field)
    for number, option in enumerate(options):
        yield from _option_errors(f"{path}.options[{number}]", option, doc)
    yield from _kind_errors(path, criterion, doc)
    yield from side_errors(path, criterion, _unit(criterion, doc))
    if criterion["scale"] != Criterion.Scale.NOMINAL:
        yield from _value_errors(f"{path}.options", options)
    unit = _unit(criterion, doc)
    alike = [other for other in earlier if _unit(other, doc) == unit]
    around = [other for other in earlier if _unit(other, doc) in AROUND.get(unit, {unit})]
    yield from _condition_errors(f"{path}.when", criterion["when"], alike, earlier, doc)
    for number, rule in enumerate(criterion["rules"]):
        yield from _condition_errors(f"{path}.rules[{number}].when", rule["when"], around, earlier, doc)
        yield from _known_option(f"{path}.rules[{number}].option", rule["option"], options)
    for number, example in enumerate(criterion["examples"]):
        place = f"{path}.examples[{number}]"
        is_pair = _unit(criterion, doc) == Unit.COMPARISON
        yield from _pair_errors(place, example, options) if is_pair else _example_errors(place, example, criterion)


def _kind_errors(path: str, criterion: Entry, doc: Entry) -> Iterator[BundleError]:
    kind, n = criterion["kind"], len(criterion["options"])
    if kind == Kind.TURNS:
        if n:
            message = _("has %(n)s entries, but this criterion marks turns") % {"n": n}
            yield BundleError(f"{path}.options", message, _("none"))
        if _unit(criterion, doc) != Unit.DIALOGUE:
            message = _("is %(value)s, which has no turns to mark") % {"value": _unit(criterion, doc)}
            yield BundleError(f"{path}.unit", message, "dialogue")
    else:
        fewest = 1 if kind == Kind.MULTIPLE and not criterion["required"] else 2
        if n < fewest:
            yield BundleError(f"{path}.options", n_entries(criterion["options"]), at_least(fewest))
    for number, option in enumerate(criterion["options"]):
        if kind != Kind.SINGLE and option["asks"] != Option.Asks.NOTHING:
            message = _("is %(value)s, but only a single choice can ask for reasons") % {"value": option["asks"]}
            yield BundleError(f"{path}.options[{number}].asks", message, "nothing")
    for number, option in enumerate(criterion["options"]):
        if kind != Kind.MULTIPLE and option["alone"]:
            message = _("is true, but only one option is chosen here")
            yield BundleError(f"{path}.options[{number}].alone", message, _("false, or kind: multiple"))
    if kind in (Kind.MULTIPLE, Kind.TURNS) and criterion["scale"] != Criterion.Scale.NOMINAL:
        message = _("is %(value)s, but several options may be chosen") % {"value": criterion["scale"]}
        yield BundleError(f"{path}.scale", message, "nominal")
    if (kind == Kind.COMPUTED) != bool(criterion["rules"]):
        wanted = at_least(1) if kind == Kind.COMPUTED else _("none, or kind: computed")
        message = _("has %(n)s entries, but kind is %(kind)s") % {"n": len(criterion["rules"]), "kind": str(kind)}
        yield BundleError(f"{path}.rules", message, wanted)


def _unit(criterion: Entry, doc: Entry) -> str:
    return str(criterion["unit"] or doc["unit"])


def _condition_errors(
    path: str, conditions: Iterable[Entry], fitting: list[Entry], earlier: list[Entry], doc: Entry
) -> Iterator[BundleError]:
    """Yield the faults of conditions: they refer to earlier criteria only, so that nothing depends on itself.

    `fitting` are those of the `earlier` criteria that are about a unit on which these conditions can depend.
    """
    known = {entry["key"]: entry for entry in fitting if entry["kind"] in (Kind.SINGLE, Kind.COMPUTED)}
    for number, condition in enumerate(conditions):
        place, key = f"{path}[{number}]", condition["criterion"]
        if key not in known:
            wanted = one_of(known) if known else _("an earlier single-choice criterion with the same unit")
            message = _misfit(key, earlier, doc) % {"key": as_typed(key)}
            yield BundleError(f"{place}.criterion", message, wanted)
            continue
        for at, option in enumerate(condition["options"]):
            yield from _known_option(f"{place}.options[{at}]", option, known[key]["options"])
        if has_sides(known[key]["options"]):
            yield from _one_sided(f"{place}.options", condition["options"], known[key]["options"])


def _one_sided(path: str, named: list[str], options: list[Entry]) -> Iterator[BundleError]:
    """Require a condition to name both sides or none: which side a candidate stands on is drawn."""
    mirrors = mirror_places([option["role"] for option in options])
    places = {option["key"]: at for at, option in enumerate(options)}
    for key in named:
        mirror = options[mirrors[places[key]]]["key"] if key in places else key
        if mirror not in named:
            message = _("has %(key)s without its mirror, but the sides are drawn for each annotator") % {"key": key}
            yield BundleError(path, message, _("%(key)s as well") % {"key": mirror})


def _misfit(key: str, earlier: list[Entry], doc: Entry) -> str:
    """Return why nothing can depend on the criterion with this key."""
    if all(each["key"] != key for each in doc["criteria"]):
        return _("is %(key)s, which is not a criterion")
    found = next((each for each in earlier if each["key"] == key), None)
    if found is None:
        return _("is %(key)s, which does not come before this criterion")
    if found["kind"] in (Kind.MULTIPLE, Kind.TURNS):
        return _("is %(key)s, which may have several answers")
    return _("is %(key)s, which is asked about another unit")


def _known_option(path: str, key: str, options: list[Entry]) -> Iterator[BundleError]:
    keys = [option["key"] for option in options]
    if key not in keys:
        message = _("is %(key)s, which is not an option here") % {"key": as_typed(key)}
        yield BundleError(path, message, one_of(keys))


# --- its parts -------------------------------------------------------------------------------------
def _option_errors(path: str, option: Entry, doc: Entry) -> Iterator[BundleError]:
    # Two reasons with the same sub-dimension would count one vote twice in the table of errors.
    for field in ("key", "sub_dimension"):
        yield from _repeated(f"{path}.explanations", option["explanations"], field)
    asks = option["asks"]
    asks_them = asks in (Option.Asks.EXPLANATION, Option.Asks.EXPLANATION_REQUIRED)
    if option["explanations"] and not asks_them:
        message = _("is %(value)s, so the explanations would never be shown") % {"value": asks}
        yield BundleError(f"{path}.asks", message, "explanation")
    if asks_them and not option["explanations"]:
        message = _("is empty, but asks is %(value)s") % {"value": asks}
        yield BundleError(f"{path}.explanations", message, at_least(1))
    low, high = (option[field] or doc[field] for field in ("words_min", "words_max"))
    if low > high:
        yield BundleError(f"{path}.words_min", *_above(low, "words_max", high))


def _value_errors(path: str, options: list[Entry]) -> Iterator[BundleError]:
    """Require a number of its own for each answer of an ordered scale; "I don't know" and exclusions need none."""
    outside = (Option.Role.UNSURE, Option.Role.EXCLUDING)
    for number, option in enumerate(options):
        if option["value"] is None and option["role"] not in outside:
            message = _("is missing on an ordinal or interval scale")
            yield BundleError(f"{path}[{number}].value", message, _("a number"))
    yield from _repeated(path, options, "value")


def _pair_errors(path: str, example: Entry, options: list[Entry]) -> Iterator[BundleError]:
    """Yield the faults of an example of a comparison: the first of its two candidates is the left one."""
    n = len(example["candidates"])
    if n != 2:
        message = _("has %(n)s entries, but two candidates are compared") % {"n": n}
        yield BundleError(f"{path}.candidates", message, _("the left and the right one"))
    for at, candidate in enumerate(example["candidates"]):
        for field in ("option", "explanations"):
            if candidate[field]:
                message = _("evaluates one candidate, but the example is about both")
                yield BundleError(f"{path}.candidates[{at}].{field}", message, _("`option` of the example"))
    yield from _known_option(f"{path}.option", example["option"], options)
    if example["rated_turn"] is not None:
        message = _("is %(turn)s, but two candidates are compared") % {"turn": example["rated_turn"]}
        yield BundleError(f"{path}.rated_turn", message, _("nothing"))


def _example_errors(path: str, example: Entry, criterion: Entry) -> Iterator[BundleError]:
    """Yield the faults of an example. Without an option, it shows that none applies, if that is an answer."""
    options, may_be_none = criterion["options"], not criterion["required"]
    for at, candidate in enumerate(example["candidates"]):
        place = f"{path}.candidates[{at}]"
        if candidate["option"] or not may_be_none:
            yield from _known_option(f"{place}.option", candidate["option"], options)
        chosen = (option for option in options if option["key"] == candidate["option"])
        known = {each["key"] for option in chosen for each in option["explanations"]}
        for number, key in enumerate(candidate["explanations"]):
            if key not in known:
                message = _("is %(key)s, which is not an explanation of this option") % {"key": key}
                wanted = one_of(sorted(known)) if known else _("none")
                yield BundleError(f"{place}.explanations[{number}]", message, wanted)
    if example["option"] or not (example["candidates"] or may_be_none):
        yield from _known_option(f"{path}.option", example["option"], options)
    turn, n = example["rated_turn"], len(example["history"])
    if turn is not None and turn > n:
        message = _("is %(turn)s, but the history has %(n)s turns") % {"turn": turn, "n": n}
        yield BundleError(f"{path}.rated_turn", message, at_most(n))


# --- translations ----------------------------------------------------------------------------------
def _translation_errors(path: str, language: str, texts: Entry, doc: Entry) -> Iterator[BundleError]:
    if language.casefold() == doc["language"].casefold():
        yield BundleError(path, _("is the language of the document itself"), _("another language"))
    yield from _same_length(path, "notices", texts, doc)
    for key, part, original in _paired(texts, doc["criteria"], "criteria"):
        place = f"{path}.criteria.{key}"
        if original is None:
            yield BundleError(place, _("is not a criterion of the document"), _keys(doc["criteria"]))
            continue
        # Examples have no keys: they are matched with the original by position, so lists must be equally long.
        yield from _same_length(place, "examples", part, original)
        for number, (example, same) in enumerate(zip(part.get("examples", ()), original["examples"], strict=False)):
            for name in ("facts", "history", "candidates"):
                yield from _same_length(f"{place}.examples[{number}]", name, example, same)
        for option_key, option, source in _paired(part, original["options"], "options"):
            where = f"{place}.options.{option_key}"
            if source is None:
                yield BundleError(where, _("is not an option of the criterion"), _keys(original["options"]))
                continue
            yield from _same_length(where, "conditions", option, source)
            for reason, _part, known in _paired(option, source["explanations"], "explanations"):
                if known is None:
                    wanted = _keys(source["explanations"])
                    yield BundleError(f"{where}.explanations.{reason}", _("is not an explanation"), wanted)


def _paired(texts: Entry, originals: list[Entry], name: str) -> Iterator[tuple[str, Any, Entry | None]]:
    by_key = {entry["key"]: entry for entry in originals}
    for key, part in texts.get(name, {}).items():
        yield key, part, by_key.get(key)


def _keys(entries: Iterable[Entry]) -> str:
    return one_of(entry["key"] for entry in entries)


def _same_length(path: str, name: str, texts: Entry, original: Entry) -> Iterator[BundleError]:
    if name in texts and len(texts[name]) != len(original[name]):
        wanted = _("%(n)s, as in the original") % {"n": len(original[name])}
        yield BundleError(f"{path}.{name}", n_entries(texts[name]), wanted)


def _repeated(path: str, entries: Iterable[Entry], field: str) -> Iterator[BundleError]:
    seen: set[object] = set()
    for number, entry in enumerate(entries):
        value = entry[field].casefold() if isinstance(entry[field], str) else entry[field]
        if value is not None and value in seen:
            place = f"{path}[{number}].{field}"
            message = _("%(value)s is used twice") % {"value": json.dumps(entry[field])}
            yield BundleError(place, message, _("a different one for each"))
        seen.add(value)
