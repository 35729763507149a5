"""Read predictions from a CSV: find the columns that are metrics, and read each cell as a number or an option."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotation.importing import columns
from annotation.importing.answer_cells import options_of
from annotation.importing.columns import places_of_columns
from annotation.importing.fields import LONGEST_SOURCE_KEY, clean_key
from annotation.importing.outcome import MOST_ERRORS, BadField, ErrorLog
from annotation.importing.remedies import choose_columns_of_predictions, choose_one_of, name_metrics
from annotation.importing.tables import Row
from protocols.specs import CriterionSpec, VersionSpec

LONGEST_METRIC_KEY = 100
MOST_METRICS = 50
SCORE, LABEL = "score", "label"
# Our names of columns, and those that files usually have.
WHERE = ("dialogue", "item", "source")
ALIASES: dict[str, tuple[str, ...]] = {name: columns.ALIASES[name] for name in WHERE} | {
    "value": ("value", "score"),
    "label": ("label", "answer"),
}
FIELDS = tuple(ALIASES)


@dataclass(frozen=True, slots=True)
class PredictionOptions:
    """How to read a file of predictions. `columns` is {our field: the file's column}.

    A file has one metric, in the columns value and label, or several in `metrics`: one column each, written as `bleu`
    or `judge=appropriateness` (column=criterion). `metric` names the one metric, `criterion` is the question that
    labels answer, and `lower_is_better` holds keys of metrics. `sheet` names one of the sheets of a workbook.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] | list[str] = ()
    metric: str = ""
    criterion: str = ""
    lower_is_better: tuple[str, ...] | list[str] = ()
    note: str = ""
    sheet: str = ""


@dataclass(slots=True)
class MetricColumn:
    """One metric of the file. Its kind is known once every cell has been read: labels if all name an option."""

    key: str
    column: str
    criterion: CriterionSpec | None
    value_at: int | None = None
    label_at: int | None = None
    n_cells: int = 0
    no_numbers: ErrorLog = field(default_factory=ErrorLog)
    no_options: ErrorLog = field(default_factory=ErrorLog)

    @property
    def is_wide(self) -> bool:
        return self.value_at is not None and self.value_at == self.label_at

    @property
    def kind(self) -> str:
        if not self.is_wide:
            return LABEL if self.label_at is not None else SCORE
        are_labels = self.criterion is not None and (not self.no_options.n_errors or self.no_numbers.n_errors)
        return LABEL if are_labels else SCORE

    def refuse_into(self, log: ErrorLog) -> None:
        """Add the errors of its cells to the log. Call it when every cell has been read, because the kind decides."""
        wrong = [self.no_options if self.kind == LABEL else self.no_numbers]
        if not self.is_wide and self.kind == LABEL:
            wrong.append(self.no_numbers)
        for each in wrong:
            for error in each.errors[: MOST_ERRORS - len(log.errors)]:
                log.add(error.line, error.field, error.reason, error.remedy)
                each.n_errors -= 1
            log.n_errors += each.n_errors


def places_of_predictions(names: list[str], wanted: Mapping[str, str]) -> dict[str, int]:
    """Return the place of each field that the file has: as wanted, otherwise by known names. Raise BadField."""
    return places_of_columns(names, dict(wanted), ALIASES, choose_columns_of_predictions)


class Cells:
    """Find the columns of one file by its header, and read the cells of its rows."""

    def __init__(self, names: list[str], options: PredictionOptions, spec: VersionSpec) -> None:
        self._spec = spec
        self.places = places_of_predictions(names, options.columns)
        if not {"item", "dialogue"} & self.places.keys():
            text = _("no column found. The file has: %(columns)s")
            raise BadField("item", text % {"columns": ", ".join(names)}, choose_one_of("item", "dialogue"))
        self.metrics = self._wide(names, options) if options.metrics else [self._only(names, options)]
        self._check_metrics(options)
        used = {self.places[name] for name in WHERE if name in self.places}
        used |= {at for each in self.metrics for at in (each.value_at, each.label_at) if at is not None}
        self.unused = [name for at, name in enumerate(names) if at not in used]
        self._options = {each.id: options_of(each) for each in spec.voted}

    def _wide(self, names: list[str], options: PredictionOptions) -> list[MetricColumn]:
        lowered = [name.casefold() for name in names]
        found = []
        for said in options.metrics:
            column, _equals, criterion = (part.strip() for part in said.partition("="))
            if column.casefold() not in lowered:
                text = _("the file has no column %(column)r, only: %(columns)s")
                raise BadField("metrics", text % {"column": column, "columns": ", ".join(names)})
            at = lowered.index(column.casefold())
            if at in [self.places.get(name) for name in WHERE]:
                raise BadField(
                    "metrics", _("%(column)r identifies what was rated, so it cannot be a metric") % {"column": column}
                )
            about = self._criterion(criterion or options.criterion)
            found.append(MetricColumn(_key(names[at]), names[at], about, at, at))
        return found

    def _only(self, names: list[str], options: PredictionOptions) -> MetricColumn:
        value, label = self.places.get("value"), self.places.get("label")
        if value is None and label is None:
            text = _("no column found. The file has: %(columns)s")
            raise BadField("value", text % {"columns": ", ".join(names)}, name_metrics())
        at = value if value is not None else label
        key = _key(options.metric or names[at or 0])
        return MetricColumn(key, names[at or 0], self._criterion(options.criterion), value, label)

    def _criterion(self, name: str) -> CriterionSpec | None:
        if not name:
            return None
        known = {each.name.casefold(): each for each in self._spec.voted} | {
            each.key.casefold(): each for each in self._spec.voted
        }
        found = known.get(name.strip().casefold())
        if found is None:
            text = _("%(name)r is not in the protocol: use %(known)s")
            keys = ", ".join(each.key for each in self._spec.voted)
            raise BadField("criterion", text % {"name": name, "known": keys})
        if found.unit != self._spec.unit:
            raise BadField("criterion", _("%(name)r is asked about a different unit than the rows") % {"name": name})
        return found

    def _check_metrics(self, options: PredictionOptions) -> None:
        keys = [each.key for each in self.metrics]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise BadField("metrics", _("%(key)r is named twice") % {"key": twice[0]})
        if len(keys) > MOST_METRICS:
            raise BadField("metrics", _("a file may contain at most %(most)s metrics") % {"most": MOST_METRICS})
        strange = [key for key in options.lower_is_better if key not in keys]
        if strange:
            text = _("%(key)r is not a metric of this import: use %(known)s")
            raise BadField("lower_is_better", text % {"key": strange[0], "known": ", ".join(keys)})
        only = self.metrics[0]
        if only.label_at is not None and not only.is_wide and only.criterion is None:
            raise BadField("criterion", _("name the criterion that the labels answer"))

    def unit(self, row: Row, is_whole_dialogue: bool) -> tuple[str, str, str]:
        """Return (dialogue, item, source) of the row as the file names them. Raise BadField."""
        dialogue, item = self._key(row, "dialogue"), self._key(row, "item")
        source = self._key(row, "source", LONGEST_SOURCE_KEY)
        if is_whole_dialogue:
            dialogue, item, source = dialogue or item, "", ""
        if not dialogue and not item:
            raise BadField("item", _("is empty: name the item that the prediction is about"))
        if not (is_whole_dialogue or item or source):
            raise BadField("item", _("is empty: responses are rated, so name the candidate or its source"))
        return dialogue, item, source

    def _key(self, row: Row, name: str, longest: int = 200) -> str:
        place = self.places.get(name)
        return clean_key("" if place is None else row.values[place], name, longest)

    def read(self, metric: MetricColumn, row: Row) -> tuple[float | None, int | None] | None:
        """Return (number, option id) of the row's cell or cells, or None if they are empty: no prediction."""
        value = "" if metric.value_at is None else row.values[metric.value_at].strip()
        label = "" if metric.label_at is None else row.values[metric.label_at].strip()
        if not value and not label:
            return None
        metric.n_cells += 1
        return self._number(metric, value, row.line), self._option(metric, label, row.line)

    def _number(self, metric: MetricColumn, value: str, line: int) -> float | None:
        if not value:
            return None
        number = as_number(value)
        if number is None:
            if metric.criterion is None and metric.is_wide:
                text = _("%(value)r is not a number: to import labels, name their criterion")
            else:
                text = _("%(value)r is not a number")
            metric.no_numbers.add(line, metric.column, text % {"value": value[:100]})
        return number

    def _option(self, metric: MetricColumn, label: str, line: int) -> int | None:
        if metric.criterion is None or metric.label_at is None:
            return None
        if not label:
            metric.no_options.add(line, metric.column, _("has a value but no label"))
            return None
        options = self._options[metric.criterion.id]
        found = options.get(label.casefold()) or options.get(as_number(label))
        if found is None:
            known = ", ".join(option.label for option in metric.criterion.options)
            text = _("%(value)r is not an answer to %(criterion)s: use %(known)s")
            names = {"value": label[:100], "criterion": metric.criterion.key, "known": known}
            metric.no_options.add(line, metric.column, text % names)
        return found.id if found else None


def names_in(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _key(name: str) -> str:
    return clean_key(name, "metric", LONGEST_METRIC_KEY)


def as_number(text: str) -> float | None:
    """Return a finite number, or None for other texts: 'nan', 'inf' and '1_000' are not numbers here."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None
