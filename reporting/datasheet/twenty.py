"""Twenty criteria by which audits judge how a human evaluation is reported, in our own words.

The topics follow the 20 reportable criteria of Katelyn Xiaoying Mei et al. 2026. Illusions of the Gold Standard: A
Large-scale Analysis of Human Evaluation Protocols for Long-form Text Generation. https://arxiv.org/abs/2606.07936

They are 4 on the task, 9 on the design and 7 on the analysis, as there. They follow public descriptions of the code
book rather than the code book itself: the numbers and the division into single questions are ours.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext_lazy

from reporting.datasheet.heds2 import NO_CRITERIA
from reporting.datasheet.question import DatasheetQuestion, Place, Standard

SOURCE = "the reportable criteria of Mei et al. (2026), https://arxiv.org/abs/2606.07936"
SECTIONS = {
    "T": pgettext_lazy("a section of the reporting criteria", "Task"),
    "D": pgettext_lazy("a section of the reporting criteria", "Design"),
    "A": pgettext_lazy("a section of the reporting criteria", "Analysis"),
}
PROTOCOL, RECRUITMENT = Place("study_protocol", "configure"), Place("recruitment", "configure")


def _setting(name: str) -> Place:
    return Place("study_settings", "configure", f"id_{name}")


QUESTIONS = (
    DatasheetQuestion(
        "T1",
        gettext_noop("Which criteria are rated, and how are they defined?"),
        NO_CRITERIA,
        "defined_criteria",
        place=PROTOCOL,
    ),
    DatasheetQuestion(
        "T2",
        gettext_noop("Why these criteria?"),
        gettext_noop("Say why you rate these criteria, for example which earlier work has them."),
    ),
    DatasheetQuestion(
        "T3",
        gettext_noop("On which scale, or with which options, are answers given?"),
        NO_CRITERIA,
        "scale_values",
        place=PROTOCOL,
    ),
    DatasheetQuestion(
        "T4",
        gettext_noop("What instructions do annotators get?"),
        gettext_noop(
            "Say which instructions annotators get: the protocol has no guidelines, or the answers were collected "
            "elsewhere."
        ),
        "guidelines",
        related=("3.2.4",),
        place=PROTOCOL,
    ),
    DatasheetQuestion(
        "D1",
        gettext_noop("What do annotators see?"),
        gettext_noop("The answers were collected elsewhere: say what annotators saw there."),
        "interface",
        related=("3.3.4.2", "3.3.4.1", "3.3.4"),
    ),
    DatasheetQuestion(
        "D2",
        gettext_noop("How many items are rated?"),
        gettext_noop("There is no main batch yet: make batches."),
        "planned_items",
        related=("3.1.1",),
        place=Place("study_batches", "import"),
    ),
    DatasheetQuestion(
        "D3",
        gettext_noop("Why this many?"),
        gettext_noop("Say how you decided how much to rate. The planner gives the power of a plan."),
        related=("3.1.3.1", "3.1.3.2", "3.1.3"),
    ),
    DatasheetQuestion("D4", gettext_noop("How many annotators rate each item?"), "", "planned_votes"),
    DatasheetQuestion(
        "D5",
        gettext_noop("What ensures the quality of the answers?"),
        gettext_noop("Turn on a part of quality control, or say what you do instead."),
        "planned_measures",
        related=("3.3.3.2", "3.3.3.1", "3.3.3"),
        place=Place("quality", "configure"),
    ),
    DatasheetQuestion(
        "D6",
        gettext_noop("How many annotators are there?"),
        gettext_noop("Enter how many annotators you want."),
        "planned_annotators",
        related=("3.2.1",),
        place=RECRUITMENT,
    ),
    DatasheetQuestion(
        "D7",
        gettext_noop("Where are annotators recruited?"),
        gettext_noop("Enter where annotators are recruited."),
        "platform",
        related=("3.2.3",),
        place=_setting("platform"),
    ),
    DatasheetQuestion(
        "D8",
        gettext_noop("Who may take part?"),
        gettext_noop("Enter the criteria by which you select annotators."),
        "sampling",
        place=RECRUITMENT,
    ),
    DatasheetQuestion(
        "D9",
        gettext_noop("What are annotators paid?"),
        gettext_noop("Enter the pay per batch, or 0 if nobody is paid."),
        "kind_of_evaluators",
        related=("3.2.2.2", "3.2.2"),
        place=_setting("pay_amount"),
    ),
    DatasheetQuestion(
        "A1",
        gettext_noop("Who are the annotators: age, gender, languages, education?"),
        gettext_noop("Turn on the questions about annotators, or say what you know about them."),
        "asked",
        related=("3.2.5",),
        place=RECRUITMENT,
    ),
    DatasheetQuestion(
        "A2",
        gettext_noop("Has an ethics committee approved the study?"),
        gettext_noop("Name the committee and the approval number, or say that there was none."),
        related=("5.1",),
    ),
    DatasheetQuestion(
        "A3",
        gettext_noop("How is agreement measured?"),
        gettext_noop("Agreement needs at least two annotators for each item."),
        "planned_agreement",
        related=("4.3.11.1", "4.3.11"),
        place=_setting("seats"),
    ),
    DatasheetQuestion(
        "A4",
        gettext_noop("How do different answers become one result?"),
        NO_CRITERIA,
        "aggregation",
        related=("4.3.9",),
    ),
    DatasheetQuestion(
        "A5",
        gettext_noop("By which statistics are results compared?"),
        gettext_noop("There are no sources yet: import dialogues with the responses to rate."),
        "planned_tests",
        related=("4.3.10",),
        place=Place("study_import", "import"),
    ),
    DatasheetQuestion(
        "A6",
        gettext_noop("Which answers are left out?"),
        gettext_noop("The answers were collected elsewhere: say which of them were left out, and why."),
        "left_out",
    ),
    DatasheetQuestion(
        "A7",
        gettext_noop("What are the limits of the evaluation?"),
        gettext_noop("Say what the results cannot show, for example because of who rated or what was rated."),
    ),
)

TWENTY = Standard("reporting-criteria", _("Twenty reporting criteria"), SOURCE, SECTIONS, QUESTIONS)
