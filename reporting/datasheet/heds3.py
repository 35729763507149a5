"""The questions of HEDS 3.0, in our own words, and the elements of its form.

Numbers, topics and options are from the Human Evaluation Datasheet (HEDS), version 3.0: Anya Belz and Craig Thomson.
2025. HEDS 3.0: The Human Evaluation Data Sheet Version 3.0. Proceedings of the Fourth Workshop on Generation,
Evaluation and Metrics (GEM2), pages 60-81. https://aclanthology.org/2025.gem-1.6

A `field` is the id of an element of the authors' form, https://nlp-heds.github.io, read from the page in
https://github.com/nlp-heds/nlp-heds.github.io at commit 3239cd3. The id of an option's element ends in its number.
"""

from dataclasses import replace

from django.utils.translation import gettext_noop

from reporting.datasheet.heds2 import HEDS2, IMPORTED, NO_CRITERIA, SECTIONS
from reporting.datasheet.heds3_options import (
    ASPECTS,
    CONDITIONS,
    EFFECTS,
    FEEDBACK,
    FRAMES,
    INPUTS,
    INSTRUMENTS,
    MATERIALS,
    MODES,
    OBJECTIVITY,
    OUTPUTS,
    PACES,
    PAYMENTS,
    PERSONAL,
    QUALITY,
    REGISTERED,
    REPORTS,
    RESPONSES,
    SELECTIONS,
    TASKS,
    TYPES,
    YES_NO,
)
from reporting.datasheet.question import DatasheetQuestion, Kind, Option, Standard

SOURCE = "HEDS 3.0, Belz & Thomson (2025), https://aclanthology.org/2025.gem-1.6"
PAPER, PEOPLE = "heds-paper_and_resources-", "heds-paper_and_resources-names_and_affiliations-"
DESIGN = "heds-sample_evaluators_design-"
CRITERION = "heds-criteria-criterion"


def _same(
    number: str, field: str, kind: Kind = Kind.WORDS, options: tuple[Option, ...] = (), pick: str = ""
) -> DatasheetQuestion:
    """Return the question that HEDS 2.0 has under the same number, with its element of the form."""
    return replace(HEDS2.question(number), field=field, kind=kind, options=options, pick=pick)


def _person(number: str, field: str, question: str) -> DatasheetQuestion:
    to_do = gettext_noop("Write it here: the study does not know who writes the paper.")
    return DatasheetQuestion(number, question, to_do, kind=Kind.LINE, field=PEOPLE + field, related=("1.3",))


CHOOSE_YES_NO = gettext_noop("Choose yes or no, or say why this does not apply.")

QUESTIONS = (
    # --- 1: publication and materials
    DatasheetQuestion(
        "1.1.1",
        gettext_noop("Where is the evaluation reported?"),
        gettext_noop("Give a link to the paper or report, or choose that this datasheet is for preregistration."),
        kind=Kind.ONE,
        options=REPORTS,
        field=PAPER + "paper-link",
        related=("1.1",),
    ),
    DatasheetQuestion(
        "1.1.2",
        gettext_noop("Which of the evaluations reported there is this one?"),
        gettext_noop("Name its section or table, or describe it by its criteria, data and systems."),
        field=PAPER + "paper-experiment_identification",
        related=("1.1",),
    ),
    _same(
        "1.2", PAPER + "resources-links", Kind.ONE,
        MATERIALS,
    ),
    _person("1.3.1.1", "person_completing_this_sheet-name", gettext_noop("Who fills in this datasheet?")),
    _person("1.3.1.2", "person_completing_this_sheet-affiliation", gettext_noop("Where do they work?")),
    _person("1.3.1.3", "person_completing_this_sheet-email", gettext_noop("What is their e-mail address?")),
    _person("1.3.2.1", "contact_author-name", gettext_noop("Which author answers questions?")),
    _person("1.3.2.2", "contact_author-affiliation", gettext_noop("Where does this author work?")),
    _person("1.3.2.3", "contact_author-email", gettext_noop("What is this author's e-mail address?")),
    # --- 2: systems
    _same("2.1", "heds-system-input_types", Kind.SEVERAL, INPUTS, "inputs"),
    _same("2.2", "heds-system-output_types", Kind.SEVERAL, OUTPUTS, "outputs"),
    _same("2.3", "heds-system-tasks", Kind.SEVERAL, TASKS, "task"),
    _same("2.4", "heds-system-input_languages", Kind.LANGUAGES),
    _same("2.5", "heds-system-output_languages", Kind.LANGUAGES),
    # --- 3.1: the judged sample
    _same("3.1.1", DESIGN + "sample-number_of_system_outputs"),
    _same("3.1.2", DESIGN + "sample-system_output_selection", Kind.ONE, SELECTIONS),
    DatasheetQuestion(
        "3.1.3.1",
        gettext_noop("By what method was the size of the sample determined?"),
        gettext_noop("Name the method, or write that there was none. The planner gives the power of a plan."),
        kind=Kind.LINE,
        field=DESIGN + "sample-statistical_power-method",
        related=("3.1.3",),
    ),
    DatasheetQuestion(
        "3.1.3.2",
        gettext_noop("What statistical power does the sample have?"),
        gettext_noop("Give the result of the power analysis, or write that there was none."),
        field=DESIGN + "sample-statistical_power-value",
        related=("3.1.3",),
    ),
    DatasheetQuestion(
        "3.1.3.3",
        gettext_noop("Where is the code of the power analysis?"),
        gettext_noop("Give a link, or write that there was no power analysis."),
        field=DESIGN + "sample-statistical_power-script",
        related=("3.1.3",),
    ),
    # --- 3.2: evaluators
    _same("3.2.1", DESIGN + "evaluators-number_of_evaluators", Kind.NUMBER),
    DatasheetQuestion(
        "3.2.2.1",
        gettext_noop("Are the evaluators experts in the domain?"),
        CHOOSE_YES_NO,
        kind=Kind.ONE,
        options=YES_NO,
        field=DESIGN + "evaluators-evaluators-expertise",
        related=("3.2.2",),
    ),
    DatasheetQuestion(
        "3.2.2.2",
        gettext_noop("Are they paid?"),
        gettext_noop("Enter the pay in the study's settings."),
        "kind_of_evaluators",
        kind=Kind.ONE,
        options=PAYMENTS,
        pick="payment",
        field=DESIGN + "evaluators-evaluators-payment",
        related=("3.2.2",),
    ),
    DatasheetQuestion(
        "3.2.2.3",
        gettext_noop("Did the authors know any of them before?"),
        CHOOSE_YES_NO,
        kind=Kind.ONE,
        options=YES_NO,
        field=DESIGN + "evaluators-evaluators-known_to_authors",
        related=("3.2.2",),
    ),
    DatasheetQuestion(
        "3.2.2.4",
        gettext_noop("Is any of the researchers among them?"),
        CHOOSE_YES_NO,
        kind=Kind.ONE,
        options=YES_NO,
        field=DESIGN + "evaluators-evaluators-are_authors",
        related=("3.2.2",),
    ),
    _same("3.2.3", DESIGN + "evaluators-recruitment_method"),
    _same("3.2.4", DESIGN + "evaluators-training_practice"),
    _same("3.2.5", DESIGN + "evaluators-characteristics"),
    # --- 3.3: design
    _same(
        "3.3.1", DESIGN + "experimental_design-preregistered", Kind.ONE,
        REGISTERED,
    ),
    _same("3.3.2", DESIGN + "experimental_design-collection_method"),
    DatasheetQuestion(
        "3.3.3.1",
        gettext_noop("What kinds of measures ensure the quality of the answers?"),
        IMPORTED,
        to_add=gettext_noop("Choose also what was done outside Parley, such as asking for native speakers."),
        kind=Kind.SEVERAL,
        options=QUALITY,
        pick="quality",
        field=DESIGN + "experimental_design-quality_assurance-method",
        related=("3.3.3",),
    ),
    DatasheetQuestion(
        "3.3.3.2",
        gettext_noop("What are these measures in detail?"),
        IMPORTED,
        "quality",
        gettext_noop("Say what was checked by hand or left out afterwards."),
        field=DESIGN + "experimental_design-quality_assurance-description",
        related=("3.3.3",),
    ),
    DatasheetQuestion(
        "3.3.4.1",
        gettext_noop("Where can the page that evaluators saw be seen?"),
        gettext_noop("Give a link to a screenshot or a copy."),
        kind=Kind.LINE,
        field=DESIGN + "experimental_design-what_evaluators_see-link",
        related=("3.3.4",),
    ),
    DatasheetQuestion(
        "3.3.4.2",
        gettext_noop("What do evaluators see while they judge?"),
        IMPORTED,
        "screen",
        field=DESIGN + "experimental_design-what_evaluators_see-description",
        related=("3.3.4",),
    ),
    _same("3.3.5", DESIGN + "experimental_design-evaluator_freedom", Kind.SEVERAL, PACES, "pace"),
    _same("3.3.6", DESIGN + "experimental_design-evaluators_can_ask_questions", Kind.SEVERAL, FEEDBACK, "feedback"),
    _same("3.3.7", DESIGN + "experimental_design-experimental_conditions", Kind.ONE, CONDITIONS),
    DatasheetQuestion(
        "3.3.8",
        gettext_noop("How do these conditions differ between evaluators?"),
        gettext_noop("Describe how conditions differ, or write that this does not apply."),
        field=DESIGN + "experimental_design-evaluators_place_of_choosing",
    ),
    # --- 4.1: which quality, criterion by criterion
    _same(
        "4.1.1", CRITERION + "-criteria-quality_type", Kind.ONE,
        TYPES,
    ),
    _same(
        "4.1.2", CRITERION + "-criteria-output_aspect", Kind.ONE,
        ASPECTS,
    ),
    _same(
        "4.1.3", CRITERION + "-criteria-self_vs_external_frame", Kind.ONE,
        FRAMES,
    ),
    # --- 4.2: which way of judging
    _same(
        "4.2.1", CRITERION + "-evaluation_mode-objective_or_subjective", Kind.ONE,
        OBJECTIVITY, "objectivity",
    ),
    _same(
        "4.2.2", CRITERION + "-evaluation_mode-absolute_or_relative", Kind.ONE,
        MODES, "mode",
    ),
    _same(
        "4.2.3", CRITERION + "-evaluation_mode-intrinsic_or_extrinsic", Kind.ONE,
        EFFECTS, "intrinsic",
    ),
    # --- 4.3: from question to result
    DatasheetQuestion(
        "4.3.1.1",
        gettext_noop("Under what name do evaluators see the criterion?"),
        NO_CRITERIA,
        "names",
        kind=Kind.LINE,
        field=CRITERION + "-response_elicitation-qc_name-participant_criterion_name",
        related=("4.3.1",),
    ),
    DatasheetQuestion(
        "4.3.1.2",
        gettext_noop("What is its name in a standard set of criteria, such as QCET?"),
        gettext_noop("For each criterion, write the standard name and the set it is from."),
        kind=Kind.LINE,
        field=CRITERION + "-response_elicitation-qc_name-mapped_criterion_name",
        related=("4.3.1",),
    ),
    # The form spells "definiiton" so.
    _same("4.3.2", CRITERION + "-response_elicitation-participant_criterion_definiiton"),
    _same("4.3.3", CRITERION + "-response_elicitation-size_of_scale", Kind.LINE),
    _same("4.3.4", CRITERION + "-response_elicitation-list_or_range", Kind.LINE),
    _same("4.3.5", CRITERION + "-response_elicitation-scale_presented_as", Kind.ONE, INSTRUMENTS, "instruments"),
    _same("4.3.6", CRITERION + "-response_elicitation-task_description"),
    _same("4.3.7", CRITERION + "-response_elicitation-verbatim_question"),
    _same("4.3.8", CRITERION + "-response_elicitation-form_of_response", Kind.ONE, RESPONSES, "elicitation"),
    _same("4.3.9", CRITERION + "-response_elicitation-response_aggregation"),
    _same("4.3.10", CRITERION + "-response_elicitation-effect_size_method"),
    DatasheetQuestion(
        "4.3.11.1",
        gettext_noop("By what measure is the agreement between evaluators determined?"),
        gettext_noop("Agreement is not defined yet: have items rated by at least two annotators."),
        "agreement_measures",
        field=CRITERION + "-response_elicitation-inter_annotator-agreement",
        related=("4.3.11",),
    ),
    DatasheetQuestion(
        "4.3.11.2",
        gettext_noop("How far do evaluators agree with each other?"),
        gettext_noop("Agreement is not defined yet: have items rated by at least two annotators."),
        "agreement",
        kind=Kind.LINE,
        field=CRITERION + "-response_elicitation-inter_annotator-agreement_score",
        related=("4.3.11",),
    ),
    DatasheetQuestion(
        "4.3.12.1",
        gettext_noop("By what measure is the agreement of evaluators with themselves determined?"),
        gettext_noop("Name the measure, or write that this was not measured."),
        "intra",
        field=CRITERION + "-response_elicitation-intra_annotator-intra_annotator_agreement",
        related=("4.3.11",),
    ),
    DatasheetQuestion(
        "4.3.12.2",
        gettext_noop("How far do evaluators agree with themselves?"),
        gettext_noop("Give the value, or write that this was not measured."),
        "intra",
        kind=Kind.LINE,
        field=CRITERION + "-response_elicitation-intra_annotator-intra_annotator_agreement_score",
        related=("4.3.11",),
    ),
    # --- 5: ethics
    _same("5.1", "heds-ethics-review_body"),
    _same("5.2", "heds-ethics-personal_data", Kind.ONE, PERSONAL),
    _same("5.3", "heds-ethics-special_category_data", Kind.ONE, PERSONAL),
    _same("5.4", "heds-ethics-impact_assessments"),
)  # fmt: skip

HEDS3 = Standard("heds-3.0", "HEDS 3.0", SOURCE, SECTIONS, QUESTIONS, has_form=True)
