"""Write a paragraph for the methods section of a paper, with the study's own numbers."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.listing import both
from parley.numbers import number
from reporting.record.acceptance_words import acceptance_sentences
from reporting.record.presentation import presentation_sentence
from reporting.record.qualifying_words import qualification_sentences
from reporting.report.flags import flag_sentences
from reporting.report.resampled import N_RESAMPLES
from reporting.study.rules import majority_sentence

Report = dict[str, Any]


def methods(report: Report) -> list[str]:
    """Return sentences in the active language; those with unknown numbers are left out."""
    if not report["n_ratings"]:
        return []
    return [
        *_protocol(report),
        *_material(report["material"]),
        *_presentation(report),
        *_people(report),
        *(qualification_sentences(report["qualification"]) if report["qualification"] else ()),
        *_votes(report["material"]["votes_per_item"]),
        *_agreement(report),
        *_time(report["time_and_pay"]),
        *_rules(report),
        *flag_sentences(report["flags"]),
        *_feedback(report["feedback"]),
        *_acceptance(report),
        _software(report["versions"]),
    ]


def _protocol(report: Report) -> Iterable[str]:
    known = report["protocol"] | {"hash": report["protocol"]["sha256"][:12]}
    yield (
        _("Responses were judged under version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).") % known
        if known["granularity"] == "turn"
        else _("Dialogues were judged under version %(version)s of the protocol %(slug)s (SHA-256 %(hash)s…).") % known
    )
    names = [row["name"] for row in report["criteria"]]
    if names:
        criteria = {"names": both(names)}
        yield ngettext("The criterion was %(names)s.", "The criteria were %(names)s.", len(names)) % criteria


def _material(material: Report) -> Iterable[str]:
    n = material["dialogues"]
    known = {name: f"{material[name]:,}" for name in ("items", "sources", "batches", "dialogues")}
    yield (
        ngettext(
            "The material consisted of %(dialogues)s dialogue (items: %(items)s; sources: %(sources)s; "
            "batches: %(batches)s).",
            "The material consisted of %(dialogues)s dialogues (items: %(items)s; sources: %(sources)s; "
            "batches: %(batches)s).",
            n,
        )
        % known
    )


def _presentation(report: Report) -> Iterable[str]:
    if not report["is_collected_elsewhere"]:
        yield presentation_sentence(report["study"]["text_format"])


def _people(report: Report) -> Iterable[str]:
    n = report["n_annotators"]
    known = {"n": f"{n:,}", "answers": f"{report['n_judgements']:,}", "platform": report["study"]["platform"]}
    if known["platform"]:
        yield (
            ngettext(
                "%(n)s annotator, recruited from %(platform)s, gave %(answers)s answers.",
                "%(n)s annotators, recruited from %(platform)s, gave %(answers)s answers.",
                n,
            )
            % known
        )
    else:
        yield ngettext("%(n)s annotator gave %(answers)s answers.", "%(n)s annotators gave %(answers)s answers.", n) % (
            known
        )


def _votes(votes: Report) -> Iterable[str]:
    low, high = votes["low"], votes["high"]
    if low is None:
        return
    if low == high:
        sentence = ngettext(
            "Each item was judged by %(n)s annotator.", "Each item was judged by %(n)s annotators.", low
        )
        yield sentence % {"n": low}
    else:
        yield _("Each item was judged by %(low)s to %(high)s annotators.") % {"low": low, "high": high}


def _agreement(report: Report) -> Iterable[str]:
    """Yield Fleiss' kappa for nominal scales, and alpha for all others."""
    names = {row["key"]: row["name"] for row in report["criteria"]}
    for row in report["agreement_overall"]:
        is_nominal = row["scale"] == "nominal"
        value, ends = ("fleiss_kappa", "fleiss") if is_nominal else ("krippendorff_alpha", "alpha")
        if row[value] is None:
            continue
        known = {"criterion": names[row["criterion"]], "value": number(row[value])}
        if row[f"{ends}_low"] is None:
            sentence = (
                _("For %(criterion)s, Fleiss' kappa was %(value)s.")
                if is_nominal
                else _("For %(criterion)s, Krippendorff's alpha was %(value)s.")
            )
        else:
            known |= {"low": number(row[f"{ends}_low"]), "high": number(row[f"{ends}_high"])}
            sentence = (
                _("For %(criterion)s, Fleiss' kappa was %(value)s (95 %% interval %(low)s to %(high)s).")
                if is_nominal
                else _("For %(criterion)s, Krippendorff's alpha was %(value)s (95 %% interval %(low)s to %(high)s).")
            )
        yield sentence % known


def _time(work: Report) -> Iterable[str]:
    if work["batch_minutes_active"]["n"]:
        median = {"minutes": number(work["batch_minutes_active"]["median"], ".1f")}
        yield _("The median active time per batch was %(minutes)s minutes.") % median
    if work["pay_per_batch"] is not None:
        pay = {"amount": work["pay_per_batch"], "currency": work["currency"]}
        yield _("Annotators were paid %(amount)s %(currency)s per batch.") % pay


def _rules(report: Report) -> Iterable[str]:
    if report["majority"]:
        yield majority_sentence(report["study"]["majority_rule"])
    drawn = {"n": f"{N_RESAMPLES:,}", "seed": report["study"]["seed"]}
    yield _("Intervals for agreement are BCa bootstrap intervals from %(n)s resamples (seed %(seed)s).") % drawn
    if any(row["pairs"] for row in report["comparisons"]):
        yield _(
            "Sources were compared by a t test whose variance treats both dialogues and annotators as random "
            "samples; p values were corrected by Holm's method over the pairs of sources within each "
            "criterion."
        )


def _feedback(periods: list[Report]) -> Iterable[str]:
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


def _acceptance(report: Report) -> Iterable[str]:
    if report["acceptance"]:
        yield from acceptance_sentences(report["acceptance"], {row["key"]: row["name"] for row in report["criteria"]})


def _software(versions: Report) -> str:
    return _("Statistics were computed with Parley %(parley)s, numpy %(numpy)s and scipy %(scipy)s.") % versions
