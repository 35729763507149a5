"""A protocol version as plain values, for everything that reads it many times a second.

A frozen version cannot change, so its spec is kept in the process once read; a draft is read each time.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from protocols.models import Criterion, ProtocolVersion


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


@dataclass(frozen=True, slots=True)
class CriterionSpec:
    id: int
    key: str
    name: str
    question: str
    definition: str
    scale: str
    options: tuple[OptionSpec, ...]
    words_min: int
    words_max: int

    def option(self, code: str) -> OptionSpec | None:
        return next((option for option in self.options if option.code == code), None)

    def index_of(self, option_id: int) -> int:
        """The place of an option in a vote pattern. Raises StopIteration for another criterion's option."""
        return next(index for index, option in enumerate(self.options) if option.id == option_id)


@dataclass(frozen=True, slots=True)
class VersionSpec:
    id: int
    order: str
    unit: str
    criteria: tuple[CriterionSpec, ...]
    by_key: dict[str, CriterionSpec] = field(compare=False)
    by_id: dict[int, CriterionSpec] = field(compare=False)


def spec_of(version: ProtocolVersion) -> VersionSpec:
    return spec_by_id(version.pk, version.status)


def spec_by_id(version_id: int, status: str) -> VersionSpec:
    """The same for who knows the version's id and status, and has not fetched its texts."""
    if status == ProtocolVersion.Status.DRAFT:
        return _read(ProtocolVersion.objects.get(pk=version_id))
    return _frozen(version_id)


@lru_cache(maxsize=256)
def _frozen(version_id: int) -> VersionSpec:
    return _read(ProtocolVersion.objects.get(pk=version_id))


def _read(version: ProtocolVersion) -> VersionSpec:
    rows = version.criteria.prefetch_related("options__explanations")
    criteria = tuple(_criterion(row, version) for row in rows)
    return VersionSpec(
        id=version.pk,
        order=version.order,
        unit=version.unit,
        criteria=criteria,
        by_key={criterion.key: criterion for criterion in criteria},
        by_id={criterion.id: criterion for criterion in criteria},
    )


def _criterion(row: Criterion, version: ProtocolVersion) -> CriterionSpec:
    return CriterionSpec(
        id=row.pk,
        key=row.key,
        name=row.name,
        question=row.question,
        definition=row.definition,
        scale=row.scale,
        options=tuple(_option(option, place) for place, option in enumerate(row.options.all(), start=1)),
        words_min=version.words_min,
        words_max=version.words_max,
    )


def _option(row, place: int) -> OptionSpec:
    """Codes are places (1, 2, 3 and a, b, c): all a browser ever sends or sees of an option or explanation."""
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
    )
