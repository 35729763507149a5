"""Write a paragraph for the methods section of a paper, with the study's own numbers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.listing import both
from parley.numbers import number
from reporting.record.acceptance_words import acceptance_sentences
from reporting.record.presentation import presentation_sentence
from reporting.record.qualifying_words import qualification_sentences
from reporting.report.flags import flag_sentences
from reporting.report.resampled import N_RESAMPLES, Limits
from reporting.report.sizes import Material, VotesPerItem
from reporting.report.time_and_pay import TimeAndPay
from reporting.report.versions import Versions
from reporting.study.plain import plain
from reporting.study.rules import majority_sentence

if TYPE_CHECKING:
    from reporting.report.build import Report


def methods(report: "Report") -> list[str]:
    """Return sentences in the active language; those with unknown numbers are left out."""
    if not report.n_ratings:
        return []
    return [
        *_protocol(report),
        _material(report.material),
        *([] if report.is_collected_elsewhere else [presentation_sentence(report.study.text_format)]),
        _people(report),
        *(qualification_sentences(report.qualification) if report.qualification else ()),
        *_votes(report.material.votes_per_item),
        *_agreement(report),
        *_time(report.time_and_pay),
        *_rules(report),
        *flag_sentences(report.flags),
        *_feedback(report.feedback),
        *_acceptance(report),
        _software(report.versions),
    ]


def _protocol(report: "Report") -> Iterable[str]:
    protocol = report.protocol
    known = {"slug": protocol.slug, "version": protocol.version, "hash": protocol.sha256[:12]}
    yield (
        _("Responses were judged under version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).") % known
        if protocol.granularity == "turn"
        else _("Dialogues were judged under version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).") % known
    )
    names = [each.name for each in report.criteria]
    if names:
        criteria = {"names": both(names)}
        yield ngettext("The criterion was %(names)s.", "The criteria were %(names)s.", len(names)) % criteria


def _material(material: Material) -> str:
    sentence = ngettext(
        "The material consisted of %(dialogues)s dialogue (items: %(items)s; sources: %(sources)s; "
        "batches: %(batches)s).",
        "The material consisted of %(dialogues)s dialogues (items: %(items)s; sources: %(sources)s; "
        "batches: %(batches)s).",
        material.dialogues,
    )
    said = sentence % {name: f"{getattr(material, name):,}" for name in ("items", "sources", "batches", "dialogues")}
    if material.scenarios < material.conversations:
        shared = ngettext(
            "Dialogues of one scenario are matched: intervals and tests take the %(n)s scenario as one unit.",
            "Dialogues of one scenario are matched: intervals and tests take each of the %(n)s scenarios as one unit.",
            material.scenarios,
        )
        return f"{said} {shared % {'n': f'{material.scenarios:,}'}}"
    if material.conversations == material.dialogues:
        return said
    turns = ngettext(
        "The dialogues are turns of %(n)s conversation; intervals and tests take the conversation as one unit.",
        "The dialogues are turns of %(n)s conversations; intervals and tests take each conversation as one unit.",
        material.conversations,
    )
    return f"{said} {turns % {'n': f'{material.conversations:,}'}}"


def _people(report: "Report") -> str:
    n, platform = report.n_annotators, report.study.platform
    sentence = ngettext("%(n)s annotator gave %(answers)s answers.", "%(n)s annotators gave %(answers)s answers.", n)
    if platform:
        sentence = ngettext(
            "%(n)s annotator, recruited from %(platform)s, gave %(answers)s answers.",
            "%(n)s annotators, recruited from %(platform)s, gave %(answers)s answers.",
            n,
        )
    return sentence % {"n": f"{n:,}", "answers": f"{report.n_judgements:,}", "platform": platform}


def _votes(votes: VotesPerItem) -> Iterable[str]:
    low, high = votes.low, votes.high
    if low is None:
        return
    if low == high:
        sentence = ngettext(
            "Each item was judged by %(n)s annotator.", "Each item was judged by %(n)s annotators.", low
        )
        yield sentence % {"n": low}
    else:
        yield _("Each item was judged by %(low)s to %(high)s annotators.") % {"low": low, "high": high}


def _agreement(report: "Report") -> Iterable[str]:
    """Yield Fleiss' kappa for nominal scales, and alpha for all others."""
    names = {each.key: each.name for each in report.criteria}
    for row in report.agreement_overall:
        is_nominal = row.scale == "nominal"
        value, ends = (row.fleiss_kappa, row.fleiss) if is_nominal else (row.krippendorff_alpha, row.alpha)
        if value is not None:
            yield _coefficient(names[row.criterion], value, ends, is_nominal=is_nominal)


def _coefficient(criterion: str, value: float, ends: Limits, *, is_nominal: bool) -> str:
    known = {"criterion": criterion, "value": number(value)}
    if ends.low is None:
        return (
            _("For %(criterion)s, Fleiss' kappa was %(value)s.")
            if is_nominal
            else _("For %(criterion)s, Krippendorff's alpha was %(value)s.")
        ) % known
    return (
        _("For %(criterion)s, Fleiss' kappa was %(value)s (95 %% interval %(low)s to %(high)s).")
        if is_nominal
        else _("For %(criterion)s, Krippendorff's alpha was %(value)s (95 %% interval %(low)s to %(high)s).")
    ) % (known | {"low": number(ends.low), "high": number(ends.high)})


def _time(work: TimeAndPay) -> Iterable[str]:
    if work.batch_minutes_active.n:
        median = {"minutes": number(work.batch_minutes_active.median, ".1f")}
        yield _("The median active time per batch was %(minutes)s minutes.") % median
    if work.pay_per_batch is not None:
        pay = {"amount": work.pay_per_batch, "currency": work.currency}
        yield _("Annotators were paid %(amount)s %(currency)s per batch.") % pay


def _rules(report: "Report") -> Iterable[str]:
    if report.majority:
        yield majority_sentence(report.study.majority_rule)
    drawn = {"n": f"{N_RESAMPLES:,}", "seed": report.study.seed}
    yield _("Intervals for agreement are BCa bootstrap intervals from %(n)s resamples (seed %(seed)s).") % drawn
    if any(row.pairs for row in report.comparisons):
        yield _(
            "Sources were compared by a t test whose variance treats both dialogues and annotators as random "
            "samples; p values were corrected by Holm's method over the pairs of sources within each "
            "criterion."
        )


def _feedback(periods: list[dict[str, Any]]) -> Iterable[str]:
    """Yield a sentence for each period of feedback: it affects independence, so it is always reported."""
    for period in periods:
        if period["until"]:
            sentence = _(
                "From %(since)s to %(until)s, annotators were told how often they agreed with the majority of "
                "the others."
            )
        else:
            sentence = _(
                "Since %(since)s, annotators have been told how often they agree with the majority of the others."
            )
        yield sentence % period


def _acceptance(report: "Report") -> Iterable[str]:
    if report.acceptance:
        yield from acceptance_sentences(report.acceptance, {each.key: each.name for each in report.criteria})


def _software(versions: Versions) -> str:
    return _("Statistics were computed with Parley %(parley)s, numpy %(numpy)s and scipy %(scipy)s.") % plain(versions)
