"""What was set for a study, and its protocol."""

from dataclasses import dataclass

from annotation.models import Study
from protocols.models import ProtocolVersion
from protocols.specs import spec_of
from reporting.study.margins import margin_named


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """The settings of a study that its numbers depend on. `pay_amount` is a text, None if no pay is set.

    The `equivalence_margin` is in per cent of the scale; `margin_named` says what is known of when it was named.
    """

    slug: str
    name: str
    status: str
    seats: int
    majority_rule: str
    word_scale: str
    text_format: str
    equivalence_margin: float | None
    margin_named: str | None
    seed: int
    platform: str
    pay_amount: str | None
    pay_currency: str


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    name: str
    question: str
    definition: str
    options: list[str]


@dataclass(frozen=True, slots=True)
class ProtocolFacts:
    """A protocol; `citation` names its publication, and `units` are those that its criteria ask about."""

    slug: str
    version: str
    sha256: str
    citation: str
    granularity: str
    units: list[str]
    mode: str
    interaction: str
    flagged: str
    criteria: list[Question]


def study_facts(study: Study) -> StudyFacts:
    return StudyFacts(
        slug=study.slug,
        name=study.name,
        status=study.status,
        seats=study.seats,
        majority_rule=study.majority_rule,
        word_scale=study.word_scale,
        text_format=study.text_format,
        equivalence_margin=study.equivalence_margin,
        margin_named=margin_named(study),
        seed=study.seed,
        platform=study.platform,
        pay_amount=None if study.pay_amount is None else str(study.pay_amount),
        pay_currency=study.pay_currency,
    )


def protocol_facts(version: ProtocolVersion) -> ProtocolFacts:
    spec = spec_of(version)
    return ProtocolFacts(
        slug=version.protocol.slug,
        version=version.version,
        sha256=version.sha256,
        citation=version.citation,
        granularity=version.granularity,
        units=[str(unit) for unit in spec.units],
        mode=version.mode,
        interaction=version.interaction,
        flagged=version.flagged,
        criteria=[
            Question(each.key, each.name, each.question, each.definition, [option.label for option in each.options])
            for each in spec.criteria
        ],
    )
