"""Find the whole dialogues of pairs that a file names by their scenario and the sources of both sides.

Our own export names the dialogues too, which tells those of one source apart.
"""

from django.utils.translation import gettext

from annotation.importing.copying import execute
from annotation.importing.outcome import ErrorLog, Remedy
from annotation.importing.remedies import scenario_not_dialogue
from annotation.importing.units import log_lines
from annotation.models import Study


def resolve_scenarios(study: Study, fields: tuple[str, str], log: ErrorLog) -> None:
    """Fill dialogue_id and other_dialogue_id of units that are a pair of whole dialogues.

    `fields` are the columns of both sources. Nothing is created for pairs: a dialogue without its text would be a
    second one of its scenario. Pairs with errors are logged and left out.
    """
    _stage_sides(study)
    unknown = gettext("%(name)r is not a scenario of the study")
    first = Remedy.everywhere(gettext("import its dialogues first, with this scenario"))
    log_lines(log, _rows_of("n_all = 0 AND place = 1"), "scenario", unknown, first)
    none = gettext("%(source)r has no dialogue in the scenario %(name)r")
    several = gettext(
        "the scenario %(name)r has several dialogues from %(source)r, so it is not known which is compared: give them "
        "scenarios of their own"
    )
    for place, side in enumerate(fields, start=1):
        log_lines(log, _rows_of(f"n_all > 0 AND n = 0 AND place = {place}"), side, none, first)
        log_lines(log, _rows_of(f"n > 1 AND place = {place}"), side, several)
    execute("DELETE FROM import_unit WHERE id IN (SELECT pair FROM import_whole WHERE n <> 1)")
    execute(
        """UPDATE import_unit u SET dialogue_id = one.dialogue_id, other_dialogue_id = other.dialogue_id
           FROM import_whole one JOIN import_whole other USING (pair)
           WHERE one.pair = u.id AND one.place = 1 AND other.place = 2"""
    )
    execute("DROP TABLE import_whole")


def _stage_sides(study: Study) -> None:
    """Stage the sides of these pairs, each with the number of dialogues that it may mean.

    `import_unit.source` lists both sources and the scenario. A dialogue may have a candidate of its own name.
    """
    execute(
        """CREATE TEMP TABLE import_whole ON COMMIT DROP AS
           WITH pair AS MATERIALIZED (  -- others have no JSON to read
               SELECT id, dialogue, item::jsonb AS item, source::jsonb AS sides FROM import_unit
               WHERE unit = 'comparison')
           SELECT named.*, found.*
           FROM (SELECT u.id AS pair, side.place, u.sides ->> (side.place - 1) AS source, u.sides ->> 2 AS scenario,
                     CASE WHEN u.dialogue <> '' THEN u.item ->> (side.place - 1) END AS key
                 FROM pair u CROSS JOIN (VALUES (1), (2)) AS side (place)
                 WHERE jsonb_array_length(u.sides) = 3 AND NOT EXISTS (
                     SELECT FROM annotation_candidate c JOIN annotation_dialogue d ON d.id = c.dialogue_id
                     WHERE d.study_id = %(study)s AND d.key = u.dialogue AND c.key = u.item ->> 0)) named
           CROSS JOIN LATERAL (
               SELECT count(*) AS n_all,
                   least(count(*) FILTER (WHERE s.key = named.source),
                       nullif(count(*) FILTER (WHERE s.key = named.source AND d.key = named.key), 0)) AS n,
                   coalesce(min(d.id) FILTER (WHERE s.key = named.source AND d.key = named.key),
                       min(d.id) FILTER (WHERE s.key = named.source)) AS dialogue_id
               FROM annotation_dialogue d JOIN annotation_source s ON s.id = d.source_id
               WHERE d.study_id = %(study)s AND d.scenario = named.scenario) found""",
        {"study": study.pk},
    )


def refuse_scenarios_as_dialogues(study: Study, log: ErrorLog) -> None:
    """Log the pairs that name a dialogue which the study lacks, although it has whole dialogues of their scenario.

    They would otherwise be created as dialogues without text.
    """
    execute(
        """CREATE TEMP TABLE import_lost ON COMMIT DROP AS
           SELECT u.id, r.line, coalesce(nullif(r.scenario, ''), r.dialogue) AS dialogue, ''::text AS item,
               ''::text AS source
           FROM import_row r JOIN import_unit u USING (dialogue, item, source, batch, unit)
           WHERE u.unit = 'comparison' AND u.dialogue <> ''
               AND NOT EXISTS (SELECT FROM annotation_dialogue d WHERE d.study_id = %(study)s AND d.key = u.dialogue)
               AND EXISTS (
                   SELECT FROM annotation_dialogue d WHERE d.study_id = %(study)s AND d.source_id IS NOT NULL
                       AND d.scenario <> '' AND d.scenario IN (r.scenario, r.dialogue))""",
        {"study": study.pk},
    )
    text = gettext("is not in the study, but the scenario %(name)r is, whose whole dialogues are compared")
    log_lines(log, "import_lost r", "dialogue", text, scenario_not_dialogue())
    execute("DELETE FROM import_unit WHERE id IN (SELECT id FROM import_lost)")
    execute("DROP TABLE import_lost")


def _rows_of(condition: str) -> str:
    """Return all rows of the file that are about a side with this condition, as `log_lines` names them."""
    return f"""(
        SELECT row.line, w.scenario AS dialogue, ''::text AS item, w.source
        FROM (SELECT * FROM import_whole WHERE {condition}) w JOIN import_unit u ON u.id = w.pair
        JOIN import_row row ON (row.dialogue, row.item, row.source, row.batch, row.unit)
            = (u.dialogue, u.item, u.source, u.batch, u.unit)) r"""
