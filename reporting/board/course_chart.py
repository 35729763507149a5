"""Show the control chart of one annotator as a picture, as a sentence, and as numbers with explanations."""

from dataclasses import asdict, dataclass

from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from measures.drift import BASELINE_ITEMS, EWMA_WEIGHT, IN_CONTROL_RUN
from measures.estimate import Estimate
from parley.numbers import number
from reporting.board.course import LATEST, UNKNOWN_ORDER, Course
from reporting.board.quality import ONLY_A_REASON, guarded_share, plain_headline
from reporting.charts import CourseWords, course_figure
from reporting.explained import COUNTED, Figure, Statistic, interval_lines, missing

NAMES = {
    "cusum": pgettext_lazy("a control chart", "CUSUM"),
    "ewma": pgettext_lazy("a control chart", "EWMA"),
}
HOW = {
    "cusum": gettext_noop(
        "A CUSUM chart: the line rises with every answer that differs from the majority of the others "
        "and falls with every answer that agrees. It is set to give one false alarm in about 1,000 "
        "answers. Several hard items in a row also raise it."
    ),
    "ewma": gettext_noop(
        "An EWMA chart: the line is a moving share of agreement with the majority of the others, in "
        "which the latest 20 answers weigh most. It is set to give one false alarm in about 1,000 "
        "answers. Several hard items in a row also lower it."
    ),
}
SHARE = gettext_noop("How often this annotator gave the most frequent answer of the others. Not corrected for chance.")
HELD_TO_OTHERS = gettext_noop(
    "The annotator's own first answers are not a usable baseline, so the chart uses the other annotators instead."
)


@dataclass(frozen=True, slots=True)
class CourseFact:
    key: str
    name: str
    figure: Figure


def course_facts(course: Course) -> list[CourseFact]:
    """Return the numbers to read off the chart; empty if there is no chart."""
    if course.chart.limit is None:
        return []
    return [
        CourseFact("usual", _("Usual agreement"), _usual(course)),
        CourseFact("latest", _("Latest agreement"), _latest(course)),
        CourseFact("limit", _("Control limit"), _limit(course)),
        CourseFact("alarm", _("First alarm"), _alarm(course)),
        CourseFact("beyond", _("Answers beyond the limit"), _beyond(course)),
    ]


def _usual(course: Course) -> Figure:
    statistic = Statistic("percent", gettext_noop("Usual agreement"), SHARE, ".0%")
    value = course.chart.p0 or 0.0
    if course.is_own:
        begun = _("Based on the first %(n)s answers for which the others have a majority.") % {"n": BASELINE_ITEMS}
        lines = [begun, *_interval(statistic, course.begun)]
    else:
        median = _("The median of the annotators.")
        lines = [_(HELD_TO_OTHERS), median, _("No interval: this is the reference value.")]
    return Figure(number(value, ".0%"), (plain_headline(statistic, value), statistic.definition, *lines, _left(course)))


def _latest(course: Course) -> Figure:
    statistic = Statistic("percent", gettext_noop("Latest agreement"), SHARE, ".0%")
    found = course.latest
    if found.value is None:
        return missing(statistic, found.reason or "")
    last = {"n": min(LATEST, found.n_items)}
    latest = _("Based on the last %(n)s answers for which the others have a majority.") % last
    lines = (plain_headline(statistic, found.value), statistic.definition, latest, *_interval(statistic, found))
    return Figure(number(found.value, ".0%"), (*lines, _left(course)))


def _interval(statistic: Statistic, share: Estimate) -> list[str]:
    return interval_lines(statistic, asdict(guarded_share(share)))


def _limit(course: Course) -> Figure:
    chart = course.chart
    if course.falls:
        text = number(chart.limit, ".0%")
        lines = [
            _("Alarm when the moving share is %(limit)s or less.") % {"limit": text},
            _("Each answer has a weight of %(weight)s; all earlier answers share the rest.")
            % {"weight": number(EWMA_WEIGHT, ".0%")},
        ]
    else:
        text = number(chart.limit)
        shares = {"limit": text, "p0": number(chart.p0, ".0%"), "p1": number(chart.p1, ".0%")}
        lines = [_("Alarm when the sum is %(limit)s or more: a drop from %(p0)s to %(p1)s is then likely.") % shares]
    false_alarms = _("An annotator whose agreement does not change has one false alarm in about %(n)s answers.")
    lines.append(false_alarms % {"n": f"{IN_CONTROL_RUN:,}"})
    return Figure(text, (*lines, _watched(course), _("No interval: the limit is set, not estimated.")))


def _alarm(course: Course) -> Figure:
    lines = (_alarm_sentence(course), _watched(course), _left(course), _(ONLY_A_REASON))
    if course.chart.alarm is None or course.alarm_at is None:
        return Figure(_("none"), lines)
    said = {"at": f"{course.chart.alarm + 1:,}", "when": formatted(timezone.localtime(course.alarm_at), "j M, H:i")}
    return Figure(_("▼ answer %(at)s, %(when)s") % said, lines)


def _beyond(course: Course) -> Figure:
    n = int(course.beyond.sum())
    lines = (
        _("Answers after which the line is at or beyond the limit. They are drawn with a thick line."),
        _watched(course),
        _left(course),
        _(COUNTED),
    )
    return Figure(f"{n:,}", lines)


def _watched(course: Course) -> str:
    return _("%(n)s answers are monitored.") % {"n": f"{course.n_watched:,}"}


def _left(course: Course) -> str:
    sizes = {"n": f"{len(course.agrees):,}", "left_out": f"{len(course.agrees) - course.n_known:,}"}
    return _("%(n)s answers read; %(left_out)s left out because the others tied or nobody else answered.") % sizes


# --- picture and sentence
def course_picture(course: Course) -> SafeString:
    """Return the chart as SVG, or an empty string if there is no chart."""
    chart, name = course.chart, course.person.pseudonym
    if chart.limit is None:
        return SafeString("")
    shares = {"p0": number(chart.p0, ".0%"), "p1": number(chart.p1, ".0%")}
    if course.falls:
        limit = _("alarm: agreement is likely below the usual %(p0)s") % shares
    else:
        limit = _("alarm: a drop from %(p0)s to %(p1)s is likely") % shares
    return course_figure(
        name="board-course",
        title=_("Control chart: agreement of %(name)s with the majority of the others") % {"name": name},
        description=course_sentence(course),
        path=chart.path,
        limit=chart.limit,
        beyond=course.beyond,
        falls=course.falls,
        n_baseline=course.n_baseline,
        alarm=chart.alarm,
        words=CourseWords(
            axis=_("answers, in the order they were given"),
            limit=limit,
            baseline=_("usual level") if course.is_own else "",
            alarm="" if chart.alarm is None else _("answer %(at)s") % {"at": f"{chart.alarm + 1:,}"},
        ),
    )


def course_sentence(course: Course) -> str:
    """Describe the picture for people who cannot see it, or say why there is none."""
    values = {
        "name": course.person.pseudonym,
        "n": f"{len(course.agrees):,}",
        "p0": number(course.chart.p0, ".0%"),
        "latest": number(course.latest.value, ".0%"),
        "known": f"{course.n_known:,}",
    }
    if course.chart.reason == "too_few_items":
        text = _("%(name)s has %(known)s answers for which the others have a majority: too few for a chart.")
        return text % values
    if course.chart.reason == UNKNOWN_ORDER:
        return _(
            "The answers of %(name)s were imported without times. Their order is not known, so there is no chart."
        ) % {"name": course.person.pseudonym}
    if course.chart.reason:
        text = _("%(name)s agreed on only %(p0)s of the first 50 answers: too little to detect a drop.")
        return text % values
    if course.is_own:
        begun = _("%(name)s: agreement %(p0)s in the first 50 answers with a majority, %(latest)s in the last 50.")
    else:
        begun = _(
            "%(name)s: agreement %(latest)s in the last 50 answers with a majority. The annotator's own "
            "first answers are not a usable baseline, so the chart uses the median of the annotators, %(p0)s."
        )
    parts = [begun % values, _alarm_sentence(course)]
    if not course.is_whole:
        parts.append(_("The latest %(n)s answers are shown.") % values)
    return " ".join(parts)


def _alarm_sentence(course: Course) -> str:
    if course.chart.alarm is None or course.alarm_at is None:
        return _("No alarm.")
    at = {
        "at": f"{course.chart.alarm + 1:,}",
        "n": f"{len(course.agrees):,}",
        "when": date_format(timezone.localtime(course.alarm_at), "DATETIME_FORMAT"),
    }
    return _("Alarm at answer %(at)s of %(n)s, on %(when)s. Look at the answers from shortly before it.") % at
