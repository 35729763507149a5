"""Check that imported answers mark only turns of their dialogue and answer only questions that are asked."""

from django.utils.translation import gettext as _

from annotation.importing.copying import fetch
from annotation.importing.outcome import MOST_ERRORS, ErrorLog, LineError
from protocols.specs import Condition, CriterionSpec, VersionSpec


def refuse_wrong_turns(log: ErrorLog) -> None:
    """Log the rows that mark a turn which their dialogue does not have."""
    rows = fetch(
        """SELECT line, last, n FROM (
               SELECT r.line, (SELECT max(turn) FROM unnest(r.turns) turn) AS last, jsonb_array_length(d.turns) AS n
               FROM import_row r JOIN import_unit u USING (dialogue, item, source, batch, unit)
               JOIN annotation_dialogue d ON d.id = u.dialogue_id WHERE r.turns <> '{}' AND NOT d.is_textless) marked
           WHERE last > n ORDER BY line LIMIT %s""",
        [MOST_ERRORS],
    )
    text = _("marks turn %(turn)s, but the dialogue has %(n)s turns: correct the number")
    log.add_all(LineError(line, "turns", text % {"turn": last, "n": n}) for line, last, n in rows)


def refuse_unasked(spec: VersionSpec, log: ErrorLog) -> None:
    """Log the answers to questions that the annotator's other answers rule out."""
    for criterion in spec.criteria:
        for condition in criterion.when:
            other = spec.by_key[condition.criterion]
            if criterion.is_asked and other.unit == criterion.unit:
                log.add_all(_without(criterion, other, condition))


def _without(criterion: CriterionSpec, other: CriterionSpec, condition: Condition) -> list[LineError]:
    wanted = [option for option in other.options if option.key in condition.options]
    same = (
        "o.assignment_id = v.assignment_id AND o.item_id = v.item_id AND o.criterion_id = %s AND o.option_id = ANY(%s)"
    )
    ids = [other.id, [option.id for option in wanted]]
    rows = fetch(
        f"""SELECT v.line FROM import_vote v WHERE v.criterion_id = %s
            AND NOT EXISTS (SELECT FROM import_vote o WHERE {same})
            AND NOT EXISTS (SELECT FROM annotation_rating o WHERE o.is_active AND {same})
            ORDER BY v.line LIMIT %s""",
        [criterion.id, *ids, *ids, MOST_ERRORS],
    )
    text = _(
        "%(criterion)s is asked only after the answer %(labels)s to %(other)s: leave it out, or correct that answer"
    )
    labels = ", ".join(option.label for option in wanted)
    reason = text % {"criterion": criterion.key, "labels": labels, "other": other.key}
    return [LineError(line, "criterion", reason) for (line,) in rows]
