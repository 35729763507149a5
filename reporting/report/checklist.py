"""The checklist for reporting a human evaluation, filled from the database; missing entries say what to do."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy
from django.utils.translation import override as in_language

from annotation.models import Study
from parley.numbers import between, number
from protocols.models import ProtocolVersion
from protocols.specs import spec_of
from reporting.datasheet.selectors import written_answers
from reporting.record.presentation import presentation_sentence
from reporting.record.qualifying_words import qualification_lines
from reporting.record.record import StudyRecord
from reporting.record.sampling_words import criteria_lines
from reporting.report.annotation_format import format_lines, format_of
from reporting.report.answers_words import answers_lines
from reporting.report.recruited import (
    Recruited,
    demographics_lines,
    demographics_of,
    recruited_lines,
)
from reporting.report.sizes import AnswersPerItem, Seats, VotesPerItem
from reporting.report.stated import Stated, place_lines, stated, stated_lines
from reporting.report.time_and_pay import Quartiles
from reporting.study.facts import OtherBatches, People
from reporting.study.plain import plain, spread

if TYPE_CHECKING:
    from reporting.report.build import Report

KNOWN, MISSING = "known", "missing"
Unit = ProtocolVersion.Unit

TITLES = {
    "granularity": pgettext_lazy("checklist of a report", "Granularity"),
    "dimensions": pgettext_lazy("checklist of a report", "Dimensions"),
    "annotation_format": pgettext_lazy("checklist of a report", "Annotation format"),
    "presentation": pgettext_lazy("checklist of a report", "Presentation of texts"),
    "sampling_criteria": pgettext_lazy("checklist of a report", "Sampling criteria"),
    "qualification_task": pgettext_lazy("checklist of a report", "Qualification task"),
    "qualification_rule": pgettext_lazy("checklist of a report", "Acceptance rule"),
    "recruited": pgettext_lazy("checklist of a report", "People recruited"),
    "annotators": pgettext_lazy("checklist of a report", "Annotators who took part"),
    "samples": pgettext_lazy("checklist of a report", "Samples"),
    "votes_per_sample": pgettext_lazy("checklist of a report", "Votes per sample"),
    "agreement": pgettext_lazy("checklist of a report", "Agreement"),
    "workload": pgettext_lazy("checklist of a report", "Workload per annotator"),
    "demographics": pgettext_lazy("checklist of a report", "Demographics"),
    "time": pgettext_lazy("checklist of a report", "Time"),
    "payment": pgettext_lazy("checklist of a report", "Payment"),
    "platform": pgettext_lazy("checklist of a report", "Platform"),
}
TO_DO = {
    "presentation": gettext_noop(
        "The answers are imported: state how the texts were presented where they were collected."
    ),
    "sampling_criteria": gettext_noop(
        "State the criteria by which annotators were selected: location, gender, first language, "
        "approval rate, education."
    ),
    "qualification_task": gettext_noop(
        "This study has no qualification batch: describe the task, or state that there was none."
    ),
    "qualification_rule": gettext_noop("State the rule by which annotators were accepted, with its threshold."),
    "recruited": gettext_noop("State how many people were recruited."),
    "annotators": gettext_noop("Nobody has rated a main batch yet."),
    "samples": gettext_noop("No item of a main batch has been rated yet."),
    "votes_per_sample": gettext_noop("No item of a main batch has been rated yet."),
    "agreement": gettext_noop(
        "No agreement is defined: it takes a question with options, and items rated by at least two annotators."
    ),
    "workload": gettext_noop("Nobody has rated a main batch yet."),
    "demographics": gettext_noop(
        "State the age, gender, first language and education of the annotators as far as known."
    ),
    "time": gettext_noop(
        "No batch has been submitted in Parley, so no times per batch are known. If the answers are imported, state "
        "how long the work took."
    ),
    "payment": gettext_noop("Enter the pay per batch and its currency in the study's settings."),
    "platform": gettext_noop("In the study's settings, enter where the annotators come from."),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the checklist with its lines in English. `value` is None if it is missing, otherwise `to_do` is.

    `value` is Stated if the database does not know it, and the datasheet says it.
    """

    key: str
    status: str
    value: Any
    to_do: str | None
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Granularity:
    granularity: str
    mode: str
    interaction: str
    units: list[str]


@dataclass(frozen=True, slots=True)
class Asked:
    name: str
    question: str
    definition: str


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The dimensions that the protocol names, each with a name and a definition, and its questions."""

    named: list[dict[str, str]]
    criteria: list[Asked]


@dataclass(frozen=True, slots=True)
class VotesPerSample:
    """How many people rated an item, and how many should; and the criteria that fewer of them answered."""

    votes: VotesPerItem = field(metadata=spread())
    wanted: Seats
    answers: list[AnswersPerItem]


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The agreement on a criterion, or on a behaviour as `criterion.option`; None is undefined."""

    criterion: str
    name: str
    fleiss_kappa: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Payment:
    """Amounts are texts. A rate per hour is None if there is no time."""

    pay_per_batch: str
    currency: str | None
    total_paid: str | None
    hourly_active: float | None
    hourly_expected: float | None


def checklist(study: Study, people: People, record: StudyRecord, report: "Report") -> list[Entry]:
    values = _protocol(study) | _people(people, record, report) | _work(study, report)
    written = written_answers(study)
    with in_language("en"):
        return [_entry(key, values.get(key) or stated(key, written)) for key in TITLES]


def _entry(key: str, value: Any) -> Entry:
    lines = lines_of(key, value)
    status, to_do = (MISSING, " ".join(lines)) if value is None else (KNOWN, None)
    return Entry(key, status, value, to_do, lines)


def _protocol(study: Study) -> dict[str, Any]:
    version = study.protocol_version
    spec = spec_of(version)  # options as annotators saw them, not with the sources that stood behind them
    asked = [Asked(each.name, each.question, each.definition) for each in spec.criteria]
    return {
        "granularity": Granularity(version.granularity, version.mode, version.interaction, list(spec.units)),
        "dimensions": Dimensions(version.dimensions, asked),
        "annotation_format": [format_of(criterion) for criterion in spec.criteria],
    }


def _people(people: People, record: StudyRecord, report: "Report") -> dict[str, Any]:
    known, n = record.recruitment, sum(people.by_status.values())
    by_platform = {row["platform"]: row["n"] for row in known["came"]}
    recruited = Recruited(n, people.n_imported, people.by_status, known["wanted"], by_platform)
    kinds = {row.kind: row for row in report.excluded_batches}
    return {
        "qualification_task": kinds.get("qualification"),
        "qualification_rule": record.qualification,
        "sampling_criteria": known["criteria"],
        "recruited": recruited if n else None,
        "demographics": demographics_of(known["demographics"]),
        "annotators": {"n": report.n_annotators} if report.n_annotators else None,
    }


def _work(study: Study, report: "Report") -> dict[str, Any]:
    work, sizes = report.time_and_pay, report.material
    pay = None
    if work.pay_per_batch is not None:
        hourly = (work.hourly_active, work.hourly_expected)
        pay = Payment(work.pay_per_batch, work.currency, work.total_paid, *hourly)
    samples = {"items": sizes.items, "dialogues": sizes.dialogues, "sources": sizes.sources}
    return {
        "presentation": None if report.is_collected_elsewhere else {"text_format": study.text_format},
        "samples": samples if sizes.items else None,
        "votes_per_sample": sizes.items
        and VotesPerSample(sizes.votes_per_item, sizes.seats_per_batch, sizes.answers_per_item),
        "agreement": list(_coefficients(report)) if (sizes.votes_per_item.high or 0) > 1 else None,
        "workload": work.judgements_per_annotator if work.judgements_per_annotator.n else None,
        "time": work.batch_minutes_active if work.batch_minutes_active.n else None,
        "payment": pay,
        "platform": {"name": study.platform} if study.platform else None,
    }


def _coefficients(report: "Report") -> Iterable[Coefficients]:
    names = {each.key: each.name for each in report.protocol.criteria}
    for row in report.agreement_overall:
        yield Coefficients(row.criterion, names[row.criterion], row.fleiss_kappa, row.krippendorff_alpha)
    for ticked in report.behaviours:
        found = ticked.agreement
        name = f"{names[ticked.criterion]}, {ticked.label}"
        yield Coefficients(ticked.key, name, found.fleiss_kappa, found.krippendorff_alpha)


def lines_of(key: str, value: Any) -> list[str]:
    """Return sentences on what is known, or what to do and where, in the active language."""
    if value is None:
        return [_(TO_DO[key]), *place_lines(key)]
    if isinstance(value, Stated):
        return stated_lines(value)
    return [str(line) for line in LINES[key](value)]


def _granularity(value: Granularity) -> list[str]:
    granularities, modes = ProtocolVersion.Granularity, ProtocolVersion.Mode
    of_units = {granularities.DIALOGUE if unit == Unit.DIALOGUE else value.granularity for unit in value.units}
    modes_of_units = {
        value.mode if len(value.units) == 1 else modes.COMPARATIVE if unit == Unit.COMPARISON else modes.ABSOLUTE
        for unit in value.units
    }
    words = {
        "granularity": " / ".join(str(each.label) for each in granularities if each in of_units),
        "mode": " / ".join(str(each.label) for each in modes if each in modes_of_units),
        "interaction": ProtocolVersion.Interaction(value.interaction).label,
    }
    return [_("Granularity: %(granularity)s. Mode: %(mode)s. Interaction: %(interaction)s.") % words]


def _dimensions(value: Dimensions) -> list[str]:
    named = [f"{row['name']}: {row['definition']}" for row in value.named]
    asked = [(f"{each.name}:", each.question, each.definition) for each in value.criteria]
    return named + [" ".join(filter(None, words)) for words in asked]


def _agreement(value: list[Coefficients]) -> list[str]:
    return [_agreement_line(row) for row in value]


def _agreement_line(row: Coefficients) -> str:
    if row.fleiss_kappa is None and row.alpha is None:
        return _("%(name)s: agreement is undefined.") % {"name": row.name}
    said = {"name": row.name, "kappa": _two(row.fleiss_kappa), "alpha": _two(row.alpha)}
    return _("%(name)s: Fleiss' kappa %(kappa)s, Krippendorff's alpha %(alpha)s.") % said


def _two(value: float | None) -> str:
    return "–" if value is None else number(value, ".2f")


def _votes(value: VotesPerSample) -> list[str]:
    votes, seats = value.votes, value.wanted
    mean = between(votes.mean, votes.low, votes.high)
    said = {"low": votes.low, "high": votes.high, "mean": mean}
    if seats.low is None:
        sentence = _("Annotators per item: %(low)s to %(high)s, %(mean)s on average.")
        if votes.low == votes.high:
            sentence = _("Annotators per item: %(low)s.")
        return [sentence % said, *answers_lines(value.answers)]
    # Translators: two whole numbers, the lowest and the highest.
    said["wanted"] = number(seats.low, "d") if seats.low == seats.high else _("%(low)s to %(high)s") % plain(seats)
    if votes.low == votes.high:
        sentence = _("Annotators per item: %(low)s; planned: %(wanted)s.")
    else:
        sentence = _("Annotators per item: %(low)s to %(high)s, %(mean)s on average; planned: %(wanted)s.")
    return [sentence % said, *answers_lines(value.answers)]


def _payment(value: Payment) -> list[str]:
    paid = {"amount": value.pay_per_batch, "currency": value.currency, "total": value.total_paid}
    lines = [_("%(amount)s %(currency)s per batch, %(total)s %(currency)s in total.") % paid]
    if value.hourly_active is not None:
        rate = {"rate": _two(value.hourly_active), "currency": value.currency}
        lines.append(_("At the median active time, that is %(rate)s %(currency)s per hour.") % rate)
    return lines


def _quartiles(message: str) -> Callable[[Quartiles], list[str]]:
    return lambda value: [_(message) % {name: _short(getattr(value, name)) for name in ("median", "q1", "q3")}]


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else number(value, ".1f")


def _qualification_task(value: OtherBatches) -> list[str]:
    return [_("Qualification batches: %(batches)s, with %(ratings)s answers.") % plain(value)]


LINES: dict[str, Callable[[Any], list[str]]] = {
    "granularity": _granularity,
    "dimensions": _dimensions,
    "annotation_format": format_lines,
    "presentation": lambda value: [presentation_sentence(value["text_format"])],
    "qualification_task": _qualification_task,
    "qualification_rule": qualification_lines,
    "sampling_criteria": criteria_lines,
    "recruited": recruited_lines,
    "demographics": demographics_lines,
    "annotators": lambda value: [_("Annotators: %(n)s.") % value],
    "samples": lambda value: [_("Items: %(items)s, dialogues: %(dialogues)s, sources: %(sources)s.") % value],
    "votes_per_sample": _votes,
    "agreement": _agreement,
    "workload": _quartiles(gettext_noop("Answers per annotator: median %(median)s, quartiles %(q1)s and %(q3)s.")),
    "time": _quartiles(gettext_noop("Minutes per batch: median %(median)s, quartiles %(q1)s and %(q3)s.")),
    "payment": _payment,
    "platform": lambda value: [value["name"]],
}
