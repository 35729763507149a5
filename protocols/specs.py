"""Protocol versions as plain values, for code that reads them many times a second.

A frozen version cannot change, so the process caches its spec; a draft is read each time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain, count, groupby
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, cast

from protocols.models import Criterion, Option, ProtocolVersion
from protocols.sides import mirror_places


@dataclass(frozen=True, slots=True)
class ExplanationSpec:
    id: int
    key: str
    code: str
    text: str
    sub_dimension: str


@dataclass(frozen=True, slots=True)
class OptionSpec:
    id: int
    key: str
    code: str
    label: str
    definition: str
    role: str
    value: float | None
    asks: str
    explanations: tuple[ExplanationSpec, ...]
    conditions: tuple[str, ...] = ()
    words_min: int = 3
    words_max: int = 30
    alone: bool = False  # in a multiple choice: not with another option


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that holds while the answer to `criterion` is one of `options`; all are keys."""

    criterion: str
    options: frozenset[str]


@dataclass(frozen=True, slots=True)
class Rule:
    when: tuple[Condition, ...]
    option: str


@dataclass(frozen=True)
class CriterionSpec:
    id: int
    key: str
    name: str
    question: str
    definition: str
    scale: str
    options: tuple[OptionSpec, ...]
    short: str = ""
    kind: str = Criterion.Kind.SINGLE
    unit: str = ProtocolVersion.Unit.RESPONSE
    required: bool = True
    when: tuple[Condition, ...] = ()
    rules: tuple[Rule, ...] = ()
    in_both_orders: bool = False  # of answers that compare several sources, see annotation/pairings.py

    def option(self, code: str) -> OptionSpec | None:
        return next((option for option in self.options if option.code == code), None)

    def option_of(self, option_id: int | None) -> OptionSpec | None:
        return next((option for option in self.options if option.id == option_id), None)

    def option_named(self, key: str) -> OptionSpec:
        return next(option for option in self.options if option.key == key)

    @cached_property
    def mirrors(self) -> dict[int, OptionSpec]:
        """Return {option id: the option for the same judgement if the two sides are swapped}."""
        places = mirror_places([option.role for option in self.options])
        return {option.id: self.options[places[at]] for at, option in enumerate(self.options)}

    @cached_property
    def mirror(self) -> tuple[int, ...] | None:
        """Return the place of each option's mirror, for agreement over both orders; None where one order is enough."""
        if not self.in_both_orders:
            return None
        places = mirror_places([option.role for option in self.options])
        return tuple(places[at] for at in range(len(self.options)))

    @property
    def is_asked(self) -> bool:
        return self.kind != Criterion.Kind.COMPUTED

    @property
    def takes_one(self) -> bool:
        """Return whether one option at most can be chosen."""
        if self.kind == Criterion.Kind.MULTIPLE:
            return len(self.options) == 1 or all(each.alone for each in self.options)
        return self.kind == Criterion.Kind.SINGLE


@dataclass(frozen=True)
class VersionSpec:
    id: int
    order: str
    unit: str
    criteria: tuple[CriterionSpec, ...]
    by_key: dict[str, CriterionSpec] = field(compare=False)
    by_id: dict[int, CriterionSpec] = field(compare=False)
    reading_seconds: int = 0
    scale_above: bool = False
    options: str = ProtocolVersion.OptionLayout.COMPACT
    response: str = ProtocolVersion.ResponsePlace.IN_PLACE
    guide: str = ProtocolVersion.GuidePlace.ON_REQUEST
    skips_flagged: bool = False  # annotators need not answer an item that they have flagged
    fingerprint: str = ""  # the beginning of the frozen version's hash

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Return the units that are rated, in the order of the criteria."""
        return tuple(dict.fromkeys(criterion.unit for criterion in self.criteria))

    @cached_property
    def runs(self) -> tuple[tuple[CriterionSpec, ...], ...]:
        """Return the questions in their order, divided where the unit changes."""
        asked = (each for each in self.criteria if each.is_asked)
        return tuple(tuple(run) for _, run in groupby(asked, key=attrgetter("unit")))

    @cached_property
    def depended_on(self) -> frozenset[str]:
        """Return the keys of the criteria whose answers decide whether others are asked, or what others are."""
        rules = [rule.when for each in self.criteria for rule in each.rules]
        conditions = chain(*(each.when for each in self.criteria), *rules)
        return frozenset(condition.criterion for condition in conditions)

    @cached_property
    def computed(self) -> tuple[CriterionSpec, ...]:
        return tuple(each for each in self.criteria if not each.is_asked)

    @cached_property
    def counted(self) -> tuple[CriterionSpec, ...]:
        """Return the criteria that everybody answers with one option."""
        single = Criterion.Kind.SINGLE
        return tuple(each for each in self.criteria if each.kind == single and each.required and not each.when)

    @cached_property
    def asked_always(self) -> tuple[CriterionSpec, ...]:
        """Return the criteria that everybody is asked, whatever was answered before; optional ones, too."""
        return tuple(each for each in self.criteria if each.is_asked and not each.when)

    @cached_property
    def voted(self) -> tuple[CriterionSpec, ...]:
        """Return the criteria whose answer is one option, given or computed; agreement and majorities use these."""
        kinds = (Criterion.Kind.SINGLE, Criterion.Kind.COMPUTED)
        return tuple(each for each in self.criteria if each.kind in kinds)

    def label_criterion(self, wanted: str = "") -> CriterionSpec | None:
        """Return the criterion that labels items: the one with the key `wanted`, or None if no criterion has it.

        Without a key, this is the first that can exclude items, or the first with a scale, or the first of all.
        """
        if wanted:
            return next((each for each in self.voted if each.key == wanted), None)
        excluding = (each for each in self.voted if any(o.role == Option.Role.EXCLUDING for o in each.options))
        scaled = (each for each in self.voted if each.scale != Criterion.Scale.NOMINAL)
        return next(excluding, None) or next(scaled, None) or next(iter(self.voted), None)

    def asked_of(self, unit: str) -> tuple[CriterionSpec, ...]:
        return tuple(each for each in self.criteria if each.unit == unit and each.is_asked)


def spec_of(version: ProtocolVersion) -> VersionSpec:
    return spec_by_id(version.pk, version.status)


def spec_by_id(version_id: int, status: str) -> VersionSpec:
    """Return the spec of a version by its id and status, for callers that have not fetched its texts."""
    if status == ProtocolVersion.Status.DRAFT:
        return _read(ProtocolVersion.objects.get(pk=version_id))
    return _frozen(version_id)


def spec_of_document(doc: dict[str, Any]) -> VersionSpec:
    """Return the spec of a complete bundle that is not stored; the ids of its parts are numbers in reading order."""
    numbers = count(1)

    def rows(entries: Iterable[dict[str, Any]]) -> Any:
        return SimpleNamespace(all=partial(map, row, entries))

    def row(entry: dict[str, Any]) -> Any:
        inner = {name: rows(entry[name]) for name in ("options", "explanations") if name in entry}
        return SimpleNamespace(pk=next(numbers), **entry | inner)

    version = SimpleNamespace(**doc, sha256="")
    criteria = tuple(_criterion(row(entry), cast(ProtocolVersion, version)) for entry in doc["criteria"])
    return _version(0, cast(ProtocolVersion, version), criteria)


@lru_cache(maxsize=256)
def _frozen(version_id: int) -> VersionSpec:
    return _read(ProtocolVersion.objects.get(pk=version_id))


def _read(version: ProtocolVersion) -> VersionSpec:
    rows = version.criteria.prefetch_related("options__explanations")
    return _version(version.pk, version, tuple(_criterion(row, version) for row in rows))


def _version(pk: int, version: ProtocolVersion, criteria: tuple[CriterionSpec, ...]) -> VersionSpec:
    return VersionSpec(
        id=pk,
        order=version.order,
        unit=version.unit,
        criteria=criteria,
        by_key={criterion.key: criterion for criterion in criteria},
        by_id={criterion.id: criterion for criterion in criteria},
        reading_seconds=version.reading_seconds,
        scale_above=version.scale_above,
        options=version.options,
        response=version.response,
        guide=version.guide,
        skips_flagged=version.flagged == ProtocolVersion.Flagged.SKIP,
        fingerprint=version.sha256[:12],
    )


def _criterion(row: Criterion, version: ProtocolVersion) -> CriterionSpec:
    return CriterionSpec(
        id=row.pk,
        key=row.key,
        name=row.name,
        question=row.question,
        definition=row.definition,
        scale=row.scale,
        options=tuple(_option(option, place, version) for place, option in enumerate(row.options.all(), start=1)),
        short=row.short,
        kind=row.kind,
        unit=row.unit or version.unit,
        required=row.required,
        when=_conditions(row.when),
        rules=tuple(Rule(_conditions(rule.get("when", ())), rule["option"]) for rule in row.rules),
    )


def _conditions(entries: Iterable[dict[str, Any]]) -> tuple[Condition, ...]:
    return tuple(Condition(each["criterion"], frozenset(each["options"])) for each in entries)


def _option(row: Option, place: int, version: ProtocolVersion) -> OptionSpec:
    """Return an option. Codes are positions (1, 2, 3 and a, b, c); a browser never sees or sends other ids."""
    explanations = tuple(
        ExplanationSpec(
            id=each.pk,
            key=each.key,
            code=chr(ord("a") + at),
            text=each.text,
            sub_dimension=each.sub_dimension,
        )
        for at, each in enumerate(row.explanations.all())
    )
    return OptionSpec(
        id=row.pk,
        key=row.key,
        code=str(place),
        label=row.label,
        definition=row.definition,
        role=row.role,
        value=row.value,
        asks=row.asks,
        explanations=explanations,
        conditions=tuple(row.conditions),
        words_min=row.words_min or version.words_min,
        words_max=row.words_max or version.words_max,
        alone=row.alone,
    )
