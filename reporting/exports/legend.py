"""The names of the ids in a rating, for every version of the protocol: a study may have used earlier versions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from annotation.models import Study
from protocols.models import Criterion, Explanation, Option


class CriterionName(NamedTuple):
    key: str
    kind: str
    unit: str
    version_id: int
    version: str
    sha256: str


class OptionName(NamedTuple):
    key: str
    label: str
    role: str
    value: float | None


class ExplanationName(NamedTuple):
    key: str
    text: str
    sub_dimension: str


@dataclass(frozen=True, slots=True)
class Legend:
    slug: str
    version_id: int  # the version that the study uses now
    criteria: dict[int, CriterionName]
    options: dict[int, OptionName]
    explanations: dict[int, ExplanationName]

    def options_of(self, ids: Iterable[int]) -> list[OptionName]:
        return [self.options[pk] for pk in ids if pk in self.options]

    def explanations_of(self, ids: Iterable[int]) -> list[ExplanationName]:
        return [self.explanations[pk] for pk in ids if pk in self.explanations]


def legend_of(study: Study) -> Legend:
    version = study.protocol_version
    criteria = Criterion.objects.filter(version__protocol=version.protocol_id)
    options = Option.objects.filter(criterion__version__protocol=version.protocol_id)
    explanations = Explanation.objects.filter(option__criterion__version__protocol=version.protocol_id)
    named = criteria.values_list(
        "pk", "key", "kind", "unit", "version__unit", "version_id", "version__version", "version__sha256"
    )
    reasons = explanations.values_list("pk", "key", "text", "sub_dimension")
    return Legend(
        slug=version.protocol.slug,
        version_id=version.pk,
        criteria={
            pk: CriterionName(key, kind, unit or of_version, version_id, name, sha256)
            for pk, key, kind, unit, of_version, version_id, name, sha256 in named
        },
        options={each.pk: OptionName(each.key, each.label, each.role, each.value) for each in options},
        explanations={pk: ExplanationName(key, text, hidden) for pk, key, text, hidden in reasons},
    )
