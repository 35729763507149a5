"""Find the candidates of pairs by the sources that a file names, and turn answers to the order that is stored."""

from django.utils.translation import gettext

from annotation.importing.copying import execute, fetch
from annotation.importing.dialogues import add_sources
from annotation.importing.made import note_made
from annotation.importing.outcome import ErrorLog, Remedy
from annotation.importing.remedies import create_missing
from annotation.importing.spool import MOST_SOURCES
from annotation.importing.units import MISSING, create_candidates, find_candidates, log_lines
from annotation.importing.votes import RatingOptions
from annotation.models import Study
from protocols.specs import VersionSpec


def resolve_pairs(study: Study, options: RatingOptions, fields: tuple[str, str], log: ErrorLog) -> dict[str, int]:
    """Fill `shown` of every unit that is a pair of responses. Return counts of what was created, by name.

    `fields` are the columns of both sources. Pairs with errors are logged and left out.
    """
    _stage_sides()
    other = gettext("in the study, %(item)r is from a source other than %(source)r")
    correct = Remedy.everywhere(gettext("correct the source, or “item”"))
    for place, side in enumerate(fields, start=1):
        log_lines(log, _rows_of(f"is_other AND place = {place}"), side, other, correct)
    _leave_out("is_other")
    find_candidates("import_side")
    counts = dict.fromkeys(("sources_new", "candidates_new"), 0)
    if options.create_missing:
        counts["sources_new"] = _create_sources(study, options.reference, fields[0], log)
        counts["candidates_new"] = create_candidates(study, "import_side")
        find_candidates("import_side")
    several = gettext(
        "the dialogue %(dialogue)r has several candidates from %(source)r, so it is not known which is compared: "
        "give them sources of their own"
    )
    none = gettext("%(source)r has no response to the dialogue %(dialogue)r")
    for place, side in enumerate(fields, start=1):
        log_lines(log, _rows_of(f"n_meant > 1 AND place = {place}"), side, several)
        log_lines(log, _rows_of(f"candidate_id IS NULL AND place = {place}"), side, none, create_missing())
    _leave_out("n_meant > 1 OR candidate_id IS NULL")
    execute(
        """UPDATE import_unit u SET shown = found.shown
           FROM (SELECT pair, array_agg(candidate_id ORDER BY place) AS shown FROM import_side GROUP BY pair) found
           WHERE found.pair = u.id"""
    )
    execute("DROP TABLE import_side")
    return counts


def _stage_sides() -> None:
    """Stage the sides of pairs of responses. Our own export names their candidates too.

    A candidate is known by its key and its source. If the source's is called otherwise here, the source alone counts;
    `is_other` says that only the candidate of another source is called so.
    """
    execute(
        """CREATE TEMP TABLE import_side ON COMMIT DROP AS
           WITH u AS MATERIALIZED (  -- others have no JSON to read
               SELECT * FROM import_unit WHERE unit = 'comparison' AND other_dialogue_id IS NULL)
           SELECT u.id AS pair, side.place, u.line, u.dialogue, side.source, 'response' AS unit, u.dialogue_id,
                  NULL::bigint AS candidate_id, NULL::bigint AS source_id, 1 AS n_meant,
                  CASE WHEN u.item = u.source OR (known.has_source AND NOT known.has_both) THEN ''
                       ELSE u.item::jsonb ->> (side.place::int - 1) END AS item,
                  u.item <> u.source AND known.has_key AND NOT known.has_source AS is_other
           FROM u
           CROSS JOIN LATERAL jsonb_array_elements_text(u.source::jsonb) WITH ORDINALITY AS side (source, place)
           CROSS JOIN LATERAL (
               SELECT coalesce(bool_or(s.key = side.source), false) AS has_source,
                   coalesce(bool_or(c.key = u.item::jsonb ->> (side.place::int - 1)), false) AS has_key,
                   coalesce(bool_or(s.key = side.source AND c.key = u.item::jsonb ->> (side.place::int - 1)), false)
                       AS has_both
               FROM annotation_candidate c JOIN annotation_source s ON s.id = c.source_id
               WHERE c.dialogue_id = u.dialogue_id) known
           WHERE side.place <= 2"""
    )


def _leave_out(condition: str) -> None:
    execute(f"DELETE FROM import_unit WHERE id IN (SELECT pair FROM import_side WHERE {condition})")
    execute("DELETE FROM import_side WHERE pair NOT IN (SELECT id FROM import_unit)")


def _rows_of(condition: str) -> str:
    """Return all rows of the file that are about a side with this condition, as a query names them."""
    return f"""(
        SELECT row.line, s.dialogue, s.item, s.source
        FROM (SELECT * FROM import_side WHERE {condition}) s JOIN import_unit u ON u.id = s.pair
        JOIN import_row row ON (row.dialogue, row.item, row.source, row.batch, row.unit)
            = (u.dialogue, u.item, u.source, u.batch, u.unit)) r"""


def _create_sources(study: Study, reference: str, field: str, log: ErrorLog) -> int:
    rows = fetch(f"SELECT source FROM import_side WHERE {MISSING} GROUP BY source ORDER BY min(line), min(place)")
    if len(rows) > MOST_SOURCES:
        text = gettext("is one of more than %(most)s: is this the right column?") % {"most": MOST_SOURCES}
        log_lines(log, f"import_side r WHERE {MISSING}", field, text)
        return 0
    return note_made(add_sources(study, [source for (source,) in rows], reference))


def turn_votes(spec: VersionSpec) -> None:
    """Store the mirror of each answer about a pair that the file has the other way round than its item."""
    options: dict[int, int] = {}
    reasons: dict[int, int] = {}
    for criterion in spec.criteria:
        for option in criterion.options:
            mirror = criterion.mirrors[option.id]
            options[option.id] = mirror.id
            by_code = {each.code: each.id for each in mirror.explanations}
            reasons |= {each.id: by_code[each.code] for each in option.explanations if each.code in by_code}
    execute(
        """UPDATE import_vote v SET option_id = m.mirror
           FROM unnest(%s::bigint[], %s::bigint[]) AS m (option_id, mirror)
           WHERE v.is_turned AND v.option_id = m.option_id""",
        [[*options], [*options.values()]],
    )
    execute(
        """UPDATE import_vote v SET explanations = ARRAY(
               SELECT m.mirror FROM unnest(v.explanations) AS given (id)
               JOIN unnest(%s::bigint[], %s::bigint[]) AS m (id, mirror) USING (id) ORDER BY 1)
           WHERE v.is_turned AND v.explanations <> '{}'""",
        [[*reasons], [*reasons.values()]],
    )
