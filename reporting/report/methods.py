"""Write a paragraph for the methods section of a paper, with the study's own numbers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.listing import both
from parley.numbers import between, number
from protocols.models import ProtocolVersion
from reporting.record.acceptance_words import acceptance_sentences
from reporting.record.imports import import_sentences
from reporting.record.presentation import presentation_sentence
from reporting.record.qualifying_words import qualification_sentences
from reporting.report.answers_words import answers_lines
from reporting.report.behaviour_words import behaviour_sentences
from reporting.report.between_sources import between_sources
from reporting.report.coefficients import Overall
from reporting.report.flags import flag_sentences
from reporting.report.interval_words import withheld_sentence
from reporting.report.judge_words import judge_methods
from reporting.report.model_sentences import model_sentences
from reporting.report.new_annotators import NewAnnotators
from reporting.report.odds_words import odds_method
from reporting.report.ranking_methods import ranking_methods
from reporting.report.resampled import N_RESAMPLES, Limits
from reporting.report.settings import ProtocolFacts
from reporting.report.sizes import Material
from reporting.report.time_and_pay import TimeAndPay
from reporting.report.versions import Versions
from reporting.study.plain import plain

if TYPE_CHECKING:
    from reporting.report.build import Report

Unit = ProtocolVersion.Unit


def methods(report: "Report") -> list[str]:
    """Return sentences in the active language; those with unknown numbers are left out."""
    if not report.n_ratings:
        return []
    return [
        *_protocol(report),
        _material(report.material),
        *_without_answers(report.material),
        *_by_source(report),
        *_unrated(report),
        *([] if report.is_collected_elsewhere else [presentation_sentence(report.study.text_format)]),
        _people(report),
        *import_sentences(report.imports, report.n_ratings),
        *(qualification_sentences(report.qualification) if report.qualification else ()),
        *_votes(report.material),
        *_agreement(report),
        *ranking_methods(report),
        *behaviour_sentences(report),
        *judge_methods(report),
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
    yield (_read() if report.is_collected_elsewhere else _judged(protocol)) % known
    answered = [each.name for each in protocol.criteria if each.key in report.answered_criteria]
    others = [each.name for each in protocol.criteria if each.key not in report.answered_criteria]
    if answered:
        criteria = {"names": both(answered)}
        yield ngettext("The criterion was %(names)s.", "The criteria were %(names)s.", len(answered)) % criteria
    if others:
        yield _("Without any answer: %(names)s.") % {"names": both(others)}


def _read() -> str:
    return _("Imported answers were read by version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).")


def _judged(protocol: ProtocolFacts) -> str:
    if protocol.granularity == "turn" and Unit.DIALOGUE in protocol.units and len(protocol.units) > 1:
        return _(
            "Responses and whole dialogues were judged under version %(version)s of the protocol %(slug)s "
            "(SHA-256 %(hash)s…)."
        )
    if protocol.granularity == "turn" and protocol.units != [Unit.DIALOGUE]:
        return _("Responses were judged under version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).")
    return _("Dialogues were judged under version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).")


def _material(material: Material) -> str:
    sentence = ngettext(
        "The material consisted of %(dialogues)s dialogue (items: %(items)s; sources: %(sources)s; "
        "batches: %(batches)s).",
        "The material consisted of %(dialogues)s dialogues (items: %(items)s; sources: %(sources)s; "
        "batches: %(batches)s).",
        material.dialogues,
    )
    said = sentence % {name: f"{getattr(material, name):,}" for name in ("items", "sources", "batches", "dialogues")}
    if material.is_by_scenario:
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


def _without_answers(material: Material) -> Iterable[str]:
    """Yield how many items of the batches nobody rated: an import counts them, and the report does not."""
    n = material.items_without_answers
    if n:
        sentence = ngettext("%(n)s further item has no answer.", "%(n)s further items have no answer.", n)
        yield sentence % {"n": f"{n:,}"}


def _by_source(report: "Report") -> Iterable[str]:
    """Yield how many dialogues each source has, if none is rated with two sources."""
    if report.material.has_dialogues_by_source:
        names = {each.key: each.name for each in report.sources}
        counts = [f"{names[row.source or '']} {row.items:,}" for row in report.material.by_source]
        yield _("Each source has dialogues of its own: %(counts)s.") % {"counts": both(counts)}


def _unrated(report: "Report") -> Iterable[str]:
    """Yield the sources that were to be rated and were not: otherwise they would vanish from the study."""
    if report.unrated_sources:
        yield _("No ratings: %(sources)s.") % {"sources": both(report.unrated_sources)}


def _people(report: "Report") -> str:
    n, platform = report.n_annotators, report.study.platform
    sentence = ngettext("%(n)s annotator gave %(answers)s answers.", "%(n)s annotators gave %(answers)s answers.", n)
    if platform:
        sentence = ngettext(
            "%(n)s annotator, recruited from %(platform)s, gave %(answers)s answers.",
            "%(n)s annotators, recruited from %(platform)s, gave %(answers)s answers.",
            n,
        )
    return sentence % {"n": f"{n:,}", "answers": f"{report.n_ratings:,}", "platform": platform}


def _votes(material: Material) -> Iterable[str]:
    votes = material.votes_per_item
    low, high = votes.low, votes.high
    if low is None:
        return
    if low == high:
        sentence = ngettext(
            "Each item was judged by %(n)s annotator.", "Each item was judged by %(n)s annotators.", low
        )
        yield sentence % {"n": low}
    else:
        said = {"low": low, "high": high, "mean": between(votes.mean, low, high)}
        yield _("Each item was judged by %(low)s to %(high)s annotators, %(mean)s on average.") % said
    if material.votes_missing:
        seats = material.seats_per_batch.low or 0
        said = {"missing": f"{material.votes_missing:,}", "n": f"{seats * material.items:,}", "seats": seats}
        yield (
            ngettext(
                "Of %(n)s judgements (%(seats)s annotators for each item), %(missing)s is missing.",
                "Of %(n)s judgements (%(seats)s annotators for each item), %(missing)s are missing.",
                material.votes_missing,
            )
            % said
        )
    yield from answers_lines(material.answers_per_item)


def _agreement(report: "Report") -> Iterable[str]:
    """Yield Fleiss' kappa for nominal scales, and alpha for all others."""
    names = {each.key: each.name for each in report.criteria}
    for row in report.agreement_overall:
        is_nominal = row.scale == "nominal"
        value = row.fleiss_kappa if is_nominal else row.krippendorff_alpha
        if value is not None:
            said = {"criterion": names[row.criterion], "value": number(value), "intervals": _agreement_intervals(row)}
            yield (
                _("For %(criterion)s, Fleiss' kappa was %(value)s%(intervals)s.")
                if is_nominal
                else _("For %(criterion)s, Krippendorff's alpha was %(value)s%(intervals)s.")
            ) % said
    yield from between_sources(report)
    if "both_orders" in report.rules:
        yield _(
            "Pairs of more than two sources were compared, so their chance agreement was computed from the answers in "
            "both orders of each pair."
        )


def _limits_of(row: Overall) -> tuple[Limits, NewAnnotators]:
    if row.scale == "nominal":
        return row.fleiss, row.fleiss_new_annotators
    return row.alpha, row.alpha_new_annotators


def _agreement_intervals(row: Overall) -> str:
    """Return the interval for the annotators who rated and that for new ones, each under its name; or nothing."""
    ends, new = _limits_of(row)
    if ends.low is None:
        return ""
    said = {"low": number(ends.low), "high": number(ends.high)}
    if new.low is None:
        return " " + _("(95 %% interval for these annotators only: %(low)s to %(high)s)") % said
    said |= {"new_low": number(new.low), "new_high": number(new.high)}
    sentence = _(
        "(95 %% interval for these annotators: %(low)s to %(high)s; for new annotators: %(new_low)s to %(new_high)s)"
    )
    return " " + sentence % said


def _time(work: TimeAndPay) -> Iterable[str]:
    if work.batch_minutes_active.n:
        median = {"minutes": number(work.batch_minutes_active.median, ".1f")}
        yield _("The median active time per batch was %(minutes)s minutes.") % median
    if work.pay_per_batch is not None:
        pay = {"amount": work.pay_per_batch, "currency": work.currency}
        yield _("Annotators were paid %(amount)s %(currency)s per batch.") % pay


def _rules(report: "Report") -> Iterable[str]:
    if report.majority:
        yield _(report.rules["majority"])
        yield _positive(report)
        yield from _ties(report.material)
    yield from _about_intervals(report)
    names = {each.key: each.name for each in report.criteria}
    is_by_dialogue = report.material.has_dialogues_as_units
    sources: dict[str | None, str] = {each.key: each.name for each in report.sources}
    yield from model_sentences(
        report.comparisons,
        names,
        sources,
        has_dialogues_as_units=is_by_dialogue,
        margin_named=report.study.margin_named,
    )
    yield from odds_method(report.odds_ratios, names)


def _ties(material: Material) -> Iterable[str]:
    """Yield that votes often tie, where most items have an even number of them."""
    said = {"n": f"{material.items_with_two_votes:,}", "items": f"{material.items:,}"}
    if 2 * material.items_with_two_votes > material.items:
        yield (
            _(
                "Of %(items)s items, %(n)s have two votes: two different votes are a tie, unless both are positive, "
                "and a tie counts as not positive, so the majority says little there."
            )
            % said
        )
    elif 2 * material.items_with_even_votes > material.items:
        yield _(
            "Of %(items)s items, %(n)s have an even number of votes, which can tie; a tie counts as not positive."
        ) % (said | {"n": f"{material.items_with_even_votes:,}"})


def _about_intervals(report: "Report") -> Iterable[str]:
    """Yield how intervals of agreement were made; where all are withheld, that there are none, and why."""
    limits = [each for row in report.agreement_overall for each in (row.fleiss, row.alpha, row.ac1)]
    if not limits:
        return
    if all(each.low is None for each in limits):
        yield withheld_sentence(limits)
        return
    drawn = {"n": f"{N_RESAMPLES:,}", "seed": report.study.seed}
    yield _("Intervals for agreement are BCa bootstrap intervals from %(n)s resamples (seed %(seed)s).") % drawn
    if any(_limits_of(row)[1].low is not None for row in report.agreement_overall):
        yield _(
            "They hold for the annotators who rated; those for new annotators come from a two-way jackknife over "
            "annotators and over the units that are resampled."
        )
    else:
        yield _("They hold for the annotators who rated, not for new ones.")
    names = {each.key: each.name for each in report.criteria}
    marked = [names[row.criterion] for row in report.agreement_overall if row.has_few_data]
    if marked:
        yield _("Few data, so that the interval of agreement is rough: %(criteria)s.") % {"criteria": both(marked)}


def _positive(report: "Report") -> str:
    """Return which options are positive. Criteria with the same ones are named together."""
    criteria: dict[tuple[str, ...], list[str]] = {}
    for each in report.criteria:
        if each.positive:
            criteria.setdefault(tuple(each.positive), []).append(each.name)
    named = "; ".join(f"{both(names)}: {', '.join(options)}" for options, names in criteria.items())
    return _("The protocol names these options positive: %(options)s.") % {"options": named}


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
