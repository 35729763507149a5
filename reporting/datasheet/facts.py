"""Answer a datasheet's questions about systems, evaluators, design and ethics from the database.

Each fact is a list of lines in the active language; the list is empty if the answer is not known.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.models import Batch, Participant, Study
from parley.listing import both
from parley.numbers import number
from protocols.models import ProtocolVersion
from protocols.specs import VersionSpec
from reporting.datasheet.selectors import Plan, Setting, plan_of
from reporting.record.acceptance_words import plan_lines
from reporting.record.presentation import presentation_sentence
from reporting.record.qualifying_words import preparation_lines, quality_lines
from reporting.study.facts import People
from reporting.study.plain import plain
from reporting.study.rules import DRAWN_SIDES

if TYPE_CHECKING:
    from reporting.report.build import Report

Unit, Order = ProtocolVersion.Unit, ProtocolVersion.Order


@dataclass(frozen=True)
class Known:
    """The data for the answers. `spec` has the words that annotators read; `report` may compute its parts lazily."""

    study: Study
    spec: VersionSpec
    people: People
    setting: Setting
    report: "Report"

    @property
    def version(self) -> ProtocolVersion:
        return self.study.protocol_version

    @cached_property
    def plan(self) -> Plan:
        return plan_of(self.study)


def amount(value: float) -> str:
    return f"{value:,}"


# --- systems and sample --------------------------------------------------------------------------------
def inputs(known: Known) -> list[str]:
    if known.version.granularity == ProtocolVersion.Granularity.TURN:
        return [_("Text: a dialogue. The turns before each response are its context.")]
    return [_("Text: the turns of the other side of a dialogue.")]


def outputs(known: Known) -> list[str]:
    lines = [
        _("Text: a turn of a dialogue.")
        if known.version.granularity == ProtocolVersion.Granularity.TURN
        else _("Text: one side of a dialogue.")
    ]
    if known.report.sources:
        lines.append(_("Sources: %(names)s.") % {"names": ", ".join(each.name for each in known.report.sources)})
    reference = [each.name for each in known.report.sources if each.is_reference]
    return lines + ([_("The reference is %(names)s.") % {"names": both(reference)}] if reference else [])


def task(known: Known) -> list[str]:
    if known.version.granularity == ProtocolVersion.Granularity.TURN:
        return [_("Dialogue turn generation.")]
    return [_("Taking part in a dialogue, turn by turn.")]


def items_per_source(known: Known) -> list[str]:
    names = {each.key: each.name for each in known.report.sources}
    rows = known.report.material.by_source
    rest = _("Pairs of sources") if Unit.COMPARISON in known.spec.units else _("Whole dialogues")
    return [f"{names.get(row.source or '') or rest}: {amount(row.items)}" for row in rows]


def sample(known: Known) -> list[str]:
    judged = known.report.material.dialogues
    if not judged:
        return []
    counts = {"judged": amount(judged), "all": amount(known.setting.n_dialogues), "seed": known.study.seed}
    return [
        _("Of the %(all)s dialogues imported into the study, %(judged)s were judged.") % counts,
        _("Any random assignment of dialogues to batches, and any random selection of sources, used the seed %(seed)s.")
        % counts,
    ]


# --- evaluators ----------------------------------------------------------------------------------------
def n_evaluators(known: Known) -> list[str]:
    n = known.report.n_annotators
    return [amount(n)] if n else []


def kind_of_evaluators(known: Known) -> list[str]:
    if known.study.pay_amount is None:
        return []
    if not known.study.pay_amount:
        return [_("Not paid.")]
    pay = {"amount": known.study.pay_amount, "currency": known.study.pay_currency}
    return [_("Paid: %(amount)s %(currency)s per batch.") % pay]


def platform(known: Known) -> list[str]:
    return [_("From %(platform)s.") % {"platform": known.study.platform}] if known.study.platform else []


def preparation(known: Known) -> list[str]:
    if known.setting.is_elsewhere:
        return []
    lines = guidelines(known)
    n = known.setting.n_examples
    if n:
        lines.append(
            ngettext("The guidelines have %(n)s worked example.", "The guidelines have %(n)s worked examples.", n)
            % {"n": n}
        )
    if known.report.qualification:
        lines += preparation_lines(known.report.qualification)
    lines += _other_batches(known)
    return lines or [_("No guidelines and no training batches: only the questions.")]


def guidelines(known: Known) -> list[str]:
    """Return how annotators read the instructions here; nothing if they worked elsewhere."""
    lines = []
    if known.version.guidelines_short:
        lines.append(_("Short guidelines are shown beside every item."))
    if known.version.guidelines:
        lines.append(_("The full guidelines are one click away from every item."))
    return [] if known.setting.is_elsewhere else lines


def _other_batches(known: Known) -> list[str]:
    line = _("Left out of all results: %(kind)s, batches: %(batches)s, items: %(items)s, answers: %(ratings)s.")
    return [line % (plain(row) | {"kind": Batch.Kind(row.kind).label}) for row in known.report.excluded_batches]


# --- design --------------------------------------------------------------------------------------------
def collection(known: Known) -> list[str]:
    if known.setting.is_elsewhere:
        return []
    here = _("Online, in a web browser, with Parley %(version)s.")
    lines = [here % {"version": known.report.versions.parley}]
    n = known.setting.n_imported
    if n:
        line = ngettext(
            "The answers of %(n)s annotator were imported.", "The answers of %(n)s annotators were imported.", n
        )
        lines.append(line % {"n": n})
    return lines


def quality(known: Known) -> list[str]:
    excluded = known.people.by_status.get(Participant.Status.EXCLUDED, 0)
    out = [_("Annotators whose answers were excluded: %(n)s.") % {"n": amount(excluded)}] if excluded else []
    if known.setting.is_elsewhere:
        return out
    lines = [_("Agreement, overall and of each annotator with the others, is computed while the work is in progress.")]
    if known.report.qualification:
        lines = quality_lines(known.report.qualification) + lines
    if known.study.kappa_floor is not None:
        floor = {"floor": number(known.study.kappa_floor)}
        lines.append(
            _(
                "Annotators are marked if the whole interval of their kappa with the majority of the others is "
                "below %(floor)s."
            )
            % floor
        )
    if known.report.acceptance:
        names = {each.key: each.name for each in known.report.criteria}
        lines.append(_("Samples of finished batches are reviewed, and batches that fail are rated again."))
        lines += plan_lines(known.report.acceptance, names)
    return lines + _other_batches(known) + out


UNITS = {
    Unit.RESPONSE: gettext_noop("One response is judged at a time, as the next turn of the dialogue shown beside it."),
    Unit.CANDIDATE_SET: gettext_noop("All responses of a source to a dialogue are judged together."),
    Unit.MODEL: gettext_noop("A source is judged from a sample of its responses."),
    Unit.DIALOGUE: gettext_noop("A whole dialogue is judged. Its turns are numbered."),
    Unit.COMPARISON: gettext_noop(
        "Two responses to the same dialogue are compared, side by side. Pairs of identical texts are not shown."
    ),
}
COMPARED_DIALOGUES = gettext_noop(
    "Two whole dialogues of one scenario are compared, side by side. Pairs of identical dialogues are not shown."
)
PAIRS_IN_ORDER = gettext_noop("The pairs of a batch are shown in an order that is drawn for each annotator.")
ORDERS = {
    Order.CRITERION_FIRST: gettext_noop(
        "All items of a dialogue are judged on one criterion before the next criterion."
    ),
    Order.ITEM_FIRST: gettext_noop("All questions about an item are on one page."),
    Order.SET_LEVEL: gettext_noop("All items of a dialogue are on one page, each with all its questions."),
}


def screen(known: Known) -> list[str]:
    units, rest = interface(known), _shown(known)
    return [*units, *_sides(known), *rest] if units else []


def interface(known: Known) -> list[str]:
    if known.setting.is_elsewhere:
        return []
    return [
        _(COMPARED_DIALOGUES if unit == Unit.COMPARISON and known.setting.compares_dialogues else UNITS[Unit(unit)])
        for unit in known.spec.units
    ]


def _shown(known: Known) -> list[str]:
    lines = [
        presentation_sentence(known.study.text_format),
        _(ORDERS[Order(known.version.order)]),
        _("Each question is shown with its definition, its options and the meaning of each option."),
        _("Evaluators never see who wrote a response, which response is the reference or what others answered."),
    ]
    if {Unit.RESPONSE, Unit.CANDIDATE_SET, Unit.COMPARISON} & set(known.spec.units):
        lines.append(
            _(
                "The items of a dialogue are shown in an order that is drawn at random for each annotator and "
                "then stays the same."
            )
        )
    return lines


def _sides(known: Known) -> list[str]:
    """Return what the report says of the sides, and whether pairs were in an order of each annotator's own."""
    if Unit.COMPARISON not in known.spec.units:
        return []
    rules = known.report.rules
    said = [rules[name] for name in ("drawn_sides", "file_sides", "imported_sides") if name in rules] or [DRAWN_SIDES]
    if known.setting.is_shuffled:
        said.append(PAIRS_IN_ORDER)
    return [_(sentence) for sentence in said]


def pace(known: Known) -> list[str]:
    if known.setting.is_elsewhere:
        return []
    minutes = {"expected": known.study.minutes_expected, "most": known.study.minutes_at_most}
    lines = [
        _("A batch is expected to take %(expected)s minutes; after %(most)s minutes its seat is released.") % minutes,
        _("Within that time, work can be interrupted and resumed: every answer is saved. No answer has a time limit."),
    ]
    if known.version.reading_seconds:
        floor = {"n": known.version.reading_seconds}
        lines.append(_("Answers are accepted only after a dialogue has been open for %(n)s seconds.") % floor)
    return lines


def feedback(known: Known) -> list[str]:
    if known.setting.is_elsewhere:
        return []
    if not known.version.feedback_box:
        return [_("Evaluators are not asked for remarks.")]
    n = {"n": amount(len(known.report.comments))}
    return [_("Evaluators are asked for remarks at the end of each batch; remarks received: %(n)s.") % n]


# --- ethics --------------------------------------------------------------------------------------------
def privacy(known: Known) -> list[str]:
    lines = [_("Annotators appear under pseudonyms in all results.")]
    if known.study.consent_text:
        counts = {
            "n": amount(known.people.n_consented),
            "all": amount(known.people.n_asked),
            "version": known.study.consent_version,
        }
        lines.append(_("%(n)s of %(all)s annotators have agreed to the consent text (version %(version)s).") % counts)
        lines.append(_("Consent text: %(text)s") % {"text": " ".join(known.study.consent_text.split())})
    return lines


FACTS = {
    fact.__name__: fact
    for fact in (
        inputs, outputs, task, items_per_source, sample,
        n_evaluators, kind_of_evaluators, platform, guidelines, preparation,
        collection, quality, interface, screen, pace, feedback,
        privacy,
    )
}  # fmt: skip
