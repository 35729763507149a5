"""The checklist for reporting a human evaluation, filled from the database; missing entries say what to do."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy
from django.utils.translation import override as in_language

from annotation.models import Study
from parley.numbers import number
from protocols.models import ProtocolVersion
from protocols.specs import VersionSpec
from reporting.record.presentation import presentation_sentence
from reporting.record.qualifying_words import qualification_lines
from reporting.record.record import StudyRecord
from reporting.report.annotation_format import format_lines, format_of
from reporting.report.recruited import criteria_lines, demographics_lines, demographics_row, recruited_lines
from reporting.study.facts import People

Row = dict[str, Any]
KNOWN, MISSING = "known", "missing"

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
    "agreement": gettext_noop("Agreement is not defined yet: have items rated by at least two annotators."),
    "workload": gettext_noop("Nobody has rated a main batch yet."),
    "demographics": gettext_noop(
        "State the age, gender, first language and education of the annotators as far as known."
    ),
    "time": gettext_noop("No times were measured, because the answers are imported: state how long the work took."),
    "payment": gettext_noop("Enter the pay per batch and its currency in the study's settings."),
    "platform": gettext_noop("In the study's settings, enter where the annotators come from."),
}


def checklist(study: Study, spec: VersionSpec, people: People, record: StudyRecord, report: Row) -> list[Row]:
    values = _protocol(study, spec) | _people(people, record, report) | _work(study, report)
    rows = []
    for key in TITLES:
        value = values.get(key)
        status = KNOWN if value else MISSING
        row = {"key": key, "status": status, "value": value or None, "to_do": None if value else TO_DO[key]}
        with in_language("en"):
            rows.append(row | {"lines": lines_of(row)})
    return rows


def _protocol(study: Study, spec: VersionSpec) -> Row:
    version = study.protocol_version
    return {
        "granularity": {
            "granularity": version.granularity,
            "mode": version.mode,
            "interaction": version.interaction,
            "units": list(spec.units),
        },
        "dimensions": {
            "named": version.dimensions,
            "criteria": [{"name": c.name, "question": c.question, "definition": c.definition} for c in spec.criteria],
        },
        "annotation_format": [format_of(criterion) for criterion in spec.criteria],
    }


def _people(people: People, record: StudyRecord, report: Row) -> Row:
    known = record.recruitment
    recruited = {
        "n": sum(people.by_status.values()),
        "imported": people.n_imported,
        "by_status": people.by_status,
        "wanted": known["wanted"],
        "by_platform": {row["platform"]: row["n"] for row in known["came"]},
    }
    kinds = {row["kind"]: row for row in report["excluded_batches"]}
    return {
        "qualification_task": kinds.get("qualification"),
        "qualification_rule": record.qualification,
        "sampling_criteria": known["criteria"],
        "recruited": recruited if recruited["n"] else None,
        "demographics": demographics_row(known["demographics"]),
        "annotators": {"n": report["n_annotators"]} if report["n_annotators"] else None,
    }


def _work(study: Study, report: Row) -> Row:
    work, sizes = report["time_and_pay"], report["material"]
    names = {row["key"]: row["name"] for row in report["criteria"]}
    agreement = [
        {
            "criterion": row["criterion"],
            "name": names[row["criterion"]],
            "fleiss_kappa": row["fleiss_kappa"],
            "alpha": row["krippendorff_alpha"],
        }
        for row in report["agreement_overall"]
        if row["fleiss_kappa"] is not None or row["krippendorff_alpha"] is not None
    ]
    pay = {name: work[name] for name in ("pay_per_batch", "currency", "total_paid", "hourly_active", "hourly_expected")}
    return {
        "presentation": None if report["is_collected_elsewhere"] else {"text_format": study.text_format},
        "samples": {name: sizes[name] for name in ("items", "dialogues", "sources")} if sizes["items"] else None,
        "votes_per_sample": sizes["votes_per_item"] | {"wanted": sizes["seats_per_batch"]} if sizes["items"] else None,
        "agreement": agreement,
        "workload": work["judgements_per_annotator"] if work["judgements_per_annotator"]["n"] else None,
        "time": work["batch_minutes_active"] if work["batch_minutes_active"]["n"] else None,
        "payment": pay if work["pay_per_batch"] is not None else None,
        "platform": {"name": study.platform} if study.platform else None,
    }


def lines_of(row: Row) -> list[str]:
    """Return sentences on what is known, or what to do, in the active language."""
    if row["status"] == MISSING:
        return [_(row["to_do"])]
    return [str(line) for line in LINES[row["key"]](row["value"])]


def _granularity(value: Row) -> list[str]:
    words = {
        "granularity": ProtocolVersion.Granularity(value["granularity"]).label,
        "mode": ProtocolVersion.Mode(value["mode"]).label,
        "interaction": ProtocolVersion.Interaction(value["interaction"]).label,
    }
    return [_("Granularity: %(granularity)s. Mode: %(mode)s. Interaction: %(interaction)s.") % words]


def _dimensions(value: Row) -> list[str]:
    """Return the dimensions that the protocol names, then its questions."""
    named = [f"{row['name']}: {row['definition']}" for row in value["named"]]
    asked = [(f"{row['name']}:", row["question"], row["definition"]) for row in value["criteria"]]
    return named + [" ".join(filter(None, words)) for words in asked]


def _agreement(value: list[Row]) -> list[str]:
    return [
        _("%(name)s: Fleiss' kappa %(kappa)s, Krippendorff's alpha %(alpha)s.")
        % {"name": row["name"], "kappa": _two(row["fleiss_kappa"]), "alpha": _two(row["alpha"])}
        for row in value
    ]


def _two(value: float | None) -> str:
    return "–" if value is None else number(value, ".2f")


def _span(value: Row) -> str:
    """Return "low to high", or one number if both are the same."""
    if value["low"] == value["high"]:
        return number(value["low"], "d")
    # Translators: two whole numbers, the lowest and the highest.
    return _("%(low)s to %(high)s") % value


def _payment(value: Row) -> list[str]:
    paid = {"amount": value["pay_per_batch"], "currency": value["currency"], "total": value["total_paid"]}
    lines = [_("%(amount)s %(currency)s per batch, %(total)s %(currency)s in total.") % paid]
    if value["hourly_active"] is not None:
        rate = {"rate": _two(value["hourly_active"]), "currency": value["currency"]}
        lines.append(_("At the median active time, that is %(rate)s %(currency)s per hour.") % rate)
    return lines


def _quartiles(message: str) -> Any:
    return lambda value: [_(message) % {name: _short(value[name]) for name in ("median", "q1", "q3")}]


def _short(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else number(value, ".1f")


LINES: dict[str, Any] = {
    "granularity": _granularity,
    "dimensions": _dimensions,
    "annotation_format": format_lines,
    "presentation": lambda value: [presentation_sentence(value["text_format"])],
    "qualification_task": lambda value: [_("Qualification batches: %(batches)s, with %(ratings)s answers.") % value],
    "qualification_rule": qualification_lines,
    "sampling_criteria": criteria_lines,
    "recruited": recruited_lines,
    "demographics": demographics_lines,
    "annotators": lambda value: [_("Annotators: %(n)s.") % value],
    "samples": lambda value: [_("Items: %(items)s, dialogues: %(dialogues)s, sources: %(sources)s.") % value],
    "votes_per_sample": lambda value: [
        _("Votes per item: %(low)s to %(high)s, %(mean)s on average; planned: %(wanted)s.")
        % (value | {"mean": _two(value["mean"]), "wanted": _span(value["wanted"])})
    ],
    "agreement": _agreement,
    "workload": _quartiles(gettext_noop("Judgements per annotator: median %(median)s, quartiles %(q1)s and %(q3)s.")),
    "time": _quartiles(gettext_noop("Minutes per batch: median %(median)s, quartiles %(q1)s and %(q3)s.")),
    "payment": _payment,
    "platform": lambda value: [value["name"]],
}
