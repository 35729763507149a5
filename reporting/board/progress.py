"""Progress, seats and pace on the board: counts with their explanations."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from annotation.models import AgreementSnapshot
from parley.templatetags.times import local_time
from reporting.board.rate import DAYS, HOURS, Rate
from reporting.board.work import BatchLine, Progress, SeatCounts, SeatLine
from reporting.explained import COUNTED, Figure

ANSWER = gettext_noop(
    "An answer is what one annotator gave to one question about one item: one option, several options together, marked "
    "turns, a text, or that none applies."
)
WANTED = gettext_noop(
    "Answers needed: one to every question of every item, from every seat. Questions that depend on another answer are "
    "needed once they are answered."
)
LEFT_OUT = gettext_noop("Left out: answers from expired seats, from returned rounds and from excluded people.")
MAIN_ONLY = gettext_noop("Main batches only. Pilot, training and qualification batches are not included.")
STRAIGHT = gettext_noop(
    "A linear extrapolation, not a forecast, so there is no interval: breaks and tired annotators change it."
)


@dataclass(frozen=True, slots=True)
class SeatFigures:
    rating: Figure
    free: Figure
    finished: Figure


@dataclass(frozen=True, slots=True)
class WorkFigures:
    """The numbers above both pages of the board."""

    percent: Figure
    answers: Figure
    seats: SeatFigures
    as_of: Figure | None
    pace: tuple[tuple[str, Figure], ...]  # (name, figure)
    note: str


@dataclass(frozen=True, slots=True)
class HolderLine:
    """The holder of a seat; `until` (the end of the lease) is set while the holder is rating."""

    state: str
    pseudonym: str
    until: Figure | None


@dataclass(frozen=True, slots=True)
class BatchRow:
    line: BatchLine
    answers: Figure
    seats: SeatFigures
    holders: tuple[HolderLine, ...]
    more: Figure | None


def work_figures(progress: Progress, seats: SeatCounts, total: AgreementSnapshot | None, rate: Rate) -> WorkFigures:
    text = _("%(given)s of %(wanted)s answers") % _sizes(progress)
    note = ""
    if progress.percent >= 100:
        note = _("All answers have been given.")
    elif not rate.finish:
        note = _("No answers in the last %(n)s hours, so the finish cannot be estimated.") % {"n": HOURS}
    return WorkFigures(
        percent=percent_figure(progress),
        answers=replace(answers_figure(progress, _(MAIN_ONLY)), text=text),
        seats=seat_figures(seats, _(MAIN_ONLY)),
        as_of=as_of_figure(total) if total else None,
        pace=tuple(_pace(rate, progress)) if progress.percent < 100 else (),
        note=note,
    )


def batch_row(line: BatchLine) -> BatchRow:
    where = _("This batch only.")
    holders = (HolderLine(seat.state, seat.pseudonym, _until(seat) if seat.until else None) for seat in line.held)
    more = None
    if line.n_more:
        sizes = {"n": localized(line.n_more), "shown": localized(len(line.held)), "all": localized(line.counts.n)}
        lines = (
            _("Taken seats that are not listed here. People who are rating come first in the list."),
            _("%(shown)s listed and %(n)s more, of %(all)s seats.") % sizes,
            _(COUNTED),
        )
        more = Figure(_("and %(n)s more") % sizes, lines)
    answers, seats = answers_figure(line.progress, where), seat_figures(line.counts, where)
    return BatchRow(line, answers, seats, tuple(holders), more)


def percent_figure(progress: Progress) -> Figure:
    lines = (
        _("Share of the needed answers that have been given."),
        _("Rounded down: 100 means that nothing is missing."),
        *_answers(progress, _(MAIN_ONLY)),
    )
    return Figure(f"{progress.percent} %", lines)


def answers_figure(progress: Progress, where: str) -> Figure:
    lines = (_("Answers given, out of those needed."), *_answers(progress, where))
    # Translators: answers given, of those wanted.
    return Figure(_("%(given)s of %(wanted)s") % _sizes(progress), lines)


def _sizes(progress: Progress) -> dict[str, str]:
    return {"given": localized(progress.n_ratings), "wanted": localized(progress.n_wanted)}


def _answers(progress: Progress, where: str) -> tuple[str, ...]:
    counted = _("%(given)s answers count; %(wanted)s are needed.") % _sizes(progress)
    return (counted, _(ANSWER), _(WANTED), _(LEFT_OUT), where, _(COUNTED))


def seat_figures(counts: SeatCounts, where: str) -> SeatFigures:
    def figure(n: int, definition: str) -> Figure:
        seats = _("%(n)s of %(all)s seats.") % {"n": localized(n), "all": localized(counts.n)}
        return Figure(localized(n), (definition, seats, where, _(COUNTED)))

    return SeatFigures(
        rating=figure(counts.n_rating, _("Seats in use: an annotator is rating, and the time has not run out.")),
        free=figure(counts.n_free, _("Free seats: nobody has taken them, or the holder's time has run out.")),
        finished=figure(counts.n_finished, _("Finished seats: the holder has submitted.")),
    )


def _until(seat: SeatLine) -> Figure:
    """Say it in the reader's time, as the annotator's own page does."""
    ends = local_time(seat.until)
    line = _("%(name)s holds this seat until %(when)s.") % {"name": "{name}", "when": "{when}"}
    lines = (
        format_html(line, name=seat.pseudonym, when=ends),
        _("If it is not submitted by then, the seat becomes free again. Its answers are kept but no longer count."),
    )
    # Translators: the time at which a seat is free again.
    return Figure(format_html(pgettext("a seat", "until %(time)s") % {"time": "{}"}, ends), lines)


def as_of_figure(total: AgreementSnapshot) -> Figure:
    moment = timezone.localtime(total.computed_at)
    said = {"when": formatted(moment, "j M Y, H:i:s T"), "version": localized(total.version)}
    lines = (
        _("The numbers on this page were stored on %(when)s.") % said,
        _("Version %(version)s. It increases by one each time a change to a batch is counted.") % said,
        _("Answers given since then are not included yet. They follow within seconds while a worker is running."),
    )
    return Figure(formatted(moment, "j M, H:i:s"), lines)


def localized(value: float, places: int | None = None) -> str:
    return number_format(value, places, force_grouping=True)


# --- pace
def _pace(rate: Rate, progress: Progress) -> list[tuple[str, Figure]]:
    per_hour = localized(rate.per_hour, 0)
    by_hours = _("%(per_hour)s answers per hour over the last %(n)s hours.") % {"per_hour": per_hour, "n": HOURS}
    found = [(_("Answers per hour"), Figure(per_hour, (by_hours, *_counted_in(rate.n_by_hours))))]
    if rate.finish:
        found.append((_("Finish at this pace"), _finish(rate.finish, "j M, H:i", by_hours, progress)))
    if rate.finish_by_days:
        per_day = localized(rate.per_day, 0)
        by_days = _("%(per_day)s answers per day over the last %(n)s days.") % {"per_day": per_day, "n": DAYS}
        found.append((_("Answers per day"), Figure(per_day, (by_days, *_counted_in(rate.n_by_days)))))
        found.append((_("Finish at the daily pace"), _finish(rate.finish_by_days, "j M", by_days, progress)))
    return found


def _counted_in(n: int) -> tuple[str, ...]:
    counted = _(
        "Based on %(n)s answers, by the hour in which they were given. Earlier and imported answers are left out."
    )
    breaks = _("Breaks in between are included: it is a pace, not a speed.")
    return counted % {"n": localized(n)}, breaks, _(MAIN_ONLY), _(COUNTED)


def _finish(moment: datetime, form: str, pace: str, progress: Progress) -> Figure:
    missing = _("%(n)s answers are missing.") % {"n": localized(progress.n_wanted - progress.n_ratings)}
    first = _("When the last answer will be given if work continues at this pace without a break.")
    return Figure(formatted(timezone.localtime(moment), form), (first, pace, missing, _(STRAIGHT)))
