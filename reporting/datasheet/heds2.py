"""The questions of HEDS 2.0, in our own words.

Numbers and topics are from the Human Evaluation Datasheet (HEDS), version 2.0: Anastasia Shimorina and Anya Belz.
2022. The Human Evaluation Datasheet: A Template for Recording Details of Human Evaluation Experiments in NLP.
Proceedings of the 2nd Workshop on Human Evaluation of NLP Systems (HumEval), pages 54-75.
https://aclanthology.org/2022.humeval-1.6
"""

from django.utils.translation import gettext_noop, pgettext_lazy

from reporting.datasheet.question import DatasheetQuestion, Standard

SOURCE = "HEDS 2.0, Shimorina & Belz (2022), https://aclanthology.org/2022.humeval-1.6"
SECTIONS = {
    "1": pgettext_lazy("a section of the datasheet", "Publication and materials"),
    "2": pgettext_lazy("a section of the datasheet", "Systems"),
    "3.1": pgettext_lazy("a section of the datasheet", "The judged sample"),
    "3.2": pgettext_lazy("a section of the datasheet", "Evaluators"),
    "3.3": pgettext_lazy("a section of the datasheet", "Design"),
    "4.1": pgettext_lazy("a section of the datasheet", "Criteria: type of quality"),
    "4.2": pgettext_lazy("a section of the datasheet", "Criteria: mode of judgement"),
    "4.3": pgettext_lazy("a section of the datasheet", "Criteria: from question to result"),
    "5": pgettext_lazy("a section of the datasheet", "Ethics"),
}
NOT_RATED = gettext_noop("No item of a main batch has been rated yet.")
IMPORTED = gettext_noop("The answers were collected elsewhere and imported: describe how this was done there.")
NO_CRITERIA = gettext_noop("The study's protocol has no criteria.")

QUESTIONS = (
    # --- 1: publication and materials
    DatasheetQuestion(
        "1.1",
        gettext_noop("Where is the evaluation reported, and which evaluation in that paper is it?"),
        gettext_noop("Give a link to the paper, or write that this datasheet is for preregistration."),
        related=("1.1.1", "1.1.2"),
    ),
    DatasheetQuestion(
        "1.2",
        gettext_noop("Where are its materials, such as responses, guidelines and tools?"),
        gettext_noop("Give links to what is public, or write that nothing is."),
    ),
    DatasheetQuestion(
        "1.3",
        gettext_noop("Who fills in this datasheet, and who answers questions about it?"),
        gettext_noop("Give the name, institution and e-mail address of each person."),
        related=("1.3.1.1", "1.3.1.2", "1.3.1.3", "1.3.2.1", "1.3.2.2", "1.3.2.3"),
    ),
    # --- 2: systems
    DatasheetQuestion(
        "2.1",
        gettext_noop("What input do the systems take?"),
        gettext_noop("Name the kind of input: a dialogue, a document, data, speech, pictures or none."),
        "inputs",
        gettext_noop("Say what else the systems were given, such as a persona or knowledge."),
    ),
    DatasheetQuestion(
        "2.2",
        gettext_noop("What output do the systems produce?"),
        gettext_noop("Name the kind of output: a turn, a sentence, a document, a dialogue, speech or pictures."),
        "outputs",
        gettext_noop("Say which sources are people rather than systems."),
    ),
    DatasheetQuestion(
        "2.3",
        gettext_noop("What task do the systems perform between input and output?"),
        gettext_noop("Name the task, such as dialogue turn generation, summarisation or translation."),
        "task",
    ),
    DatasheetQuestion(
        "2.4",
        gettext_noop("Which languages are the inputs in?"),
        gettext_noop("Give the full names of the languages of the dialogues, or write that this does not apply."),
    ),
    DatasheetQuestion(
        "2.5",
        gettext_noop("Which languages are the outputs in?"),
        gettext_noop("Give the full names of the languages of the responses, or write that this does not apply."),
    ),
    # --- 3.1: the judged sample
    DatasheetQuestion(
        "3.1.1", gettext_noop("How many outputs of each system are judged?"), NOT_RATED, "items_per_source"
    ),
    DatasheetQuestion(
        "3.1.2",
        gettext_noop("How were the judged outputs selected?"),
        gettext_noop("Say how dialogues and responses were selected: at random, in fixed shares or by hand."),
        "sample",
        gettext_noop(
            "Say how the dialogues of the study were selected from a larger set: at random, in fixed shares or by hand."
        ),
    ),
    DatasheetQuestion(
        "3.1.3",
        gettext_noop("What statistical power does a sample of this size have?"),
        gettext_noop("Give the result of a power analysis and how it was computed, or write that there was none."),
        related=("3.1.3.1", "3.1.3.2", "3.1.3.3"),
    ),
    # --- 3.2: evaluators
    DatasheetQuestion("3.2.1", gettext_noop("How many people judge?"), NOT_RATED, "n_evaluators"),
    DatasheetQuestion(
        "3.2.2",
        gettext_noop(
            "What kind of people are they: experts or not, paid or not, known to the team or not, authors or not?"
        ),
        gettext_noop("Answer all four points. Enter the pay in the study's settings."),
        "kind_of_evaluators",
        gettext_noop("Say whether they are experts, whether the team knew them and whether they include authors."),
        related=("3.2.2.1", "3.2.2.2", "3.2.2.3", "3.2.2.4"),
    ),
    DatasheetQuestion(
        "3.2.3",
        gettext_noop("How were they recruited?"),
        gettext_noop("Say where and how people were invited, and who could take part."),
        "platform",
        gettext_noop("Say how people were invited there, and who could take part."),
    ),
    DatasheetQuestion(
        "3.2.4",
        gettext_noop("How are they prepared: instructions, training, practice?"),
        IMPORTED,
        "preparation",
    ),
    DatasheetQuestion(
        "3.2.5",
        gettext_noop("What else is known about them, such as age, gender, location or education?"),
        gettext_noop("Give the number of people in each group, or write that nothing was asked."),
    ),
    # --- 3.3: design
    DatasheetQuestion(
        "3.3.1",
        gettext_noop("Was the design preregistered, and where?"),
        gettext_noop("Write yes, with the registry and a link, or no."),
    ),
    DatasheetQuestion("3.3.2", gettext_noop("By what means are answers collected?"), IMPORTED, "collection"),
    DatasheetQuestion(
        "3.3.3",
        gettext_noop("What is done to ensure the quality of the answers?"),
        IMPORTED,
        "quality",
        gettext_noop("Say whether native speakers were required, and what was checked by hand or left out afterwards."),
        related=("3.3.3.1", "3.3.3.2"),
    ),
    DatasheetQuestion(
        "3.3.4",
        gettext_noop("What do evaluators see while they judge?"),
        IMPORTED,
        "screen",
        gettext_noop("Add a link to a screenshot."),
        related=("3.3.4.1", "3.3.4.2"),
    ),
    DatasheetQuestion("3.3.5", gettext_noop("How far can they choose when and how fast they judge?"), IMPORTED, "pace"),
    DatasheetQuestion(
        "3.3.6",
        gettext_noop("Can they ask questions or leave remarks, and are they told so?"),
        IMPORTED,
        "feedback",
        gettext_noop("Say whether they were told whom to ask, before or during the work."),
    ),
    DatasheetQuestion(
        "3.3.7",
        gettext_noop("Where do they judge: at a place of their choice, in a laboratory or in everyday use?"),
        gettext_noop("Say where, and whether conditions are the same for everybody."),
    ),
    DatasheetQuestion(
        "3.3.8",
        gettext_noop("What are the conditions, if the place is not their own choice?"),
        gettext_noop("Describe how conditions differ, or write that this does not apply."),
    ),
    # --- 4.1: which quality, criterion by criterion
    DatasheetQuestion(
        "4.1.1",
        gettext_noop(
            "Does the quality concern correctness, goodness, or a feature that is neither good nor bad in itself?"
        ),
        gettext_noop("For each criterion, write correctness, goodness or feature."),
    ),
    DatasheetQuestion(
        "4.1.2",
        gettext_noop("Is it about form, content or both?"),
        gettext_noop("For each criterion, write form, content or both."),
    ),
    DatasheetQuestion(
        "4.1.3",
        gettext_noop("What is an output judged against: nothing, its input or something external?"),
        gettext_noop(
            "For each criterion, write “in its own right”, “relative to the input”, or what else it is relative to."
        ),
    ),
    # --- 4.2: which way of judging
    DatasheetQuestion(
        "4.2.1", gettext_noop("Are individual judgements objective or subjective?"), NO_CRITERIA, "objectivity"
    ),
    DatasheetQuestion("4.2.2", gettext_noop("Is an output judged on its own or against others?"), NO_CRITERIA, "mode"),
    DatasheetQuestion(
        "4.2.3",
        gettext_noop("Is the output judged in itself, or by its effects?"),
        gettext_noop("For each criterion, write intrinsic or extrinsic."),
        "intrinsic",
    ),
    # --- 4.3: from question to result
    DatasheetQuestion(
        "4.3.1",
        gettext_noop("Under what name do evaluators see the criterion?"),
        NO_CRITERIA,
        "names",
        related=("4.3.1.1", "4.3.1.2"),
    ),
    DatasheetQuestion("4.3.2", gettext_noop("What definition are evaluators given?"), NO_CRITERIA, "definitions"),
    DatasheetQuestion("4.3.3", gettext_noop("How many values can an answer have?"), NO_CRITERIA, "scale_sizes"),
    DatasheetQuestion("4.3.4", gettext_noop("What are these values?"), NO_CRITERIA, "scale_values"),
    DatasheetQuestion("4.3.5", gettext_noop("In what form are the values offered?"), NO_CRITERIA, "instruments"),
    DatasheetQuestion(
        "4.3.6", gettext_noop("If there is no scale, what is done and what is recorded?"), NO_CRITERIA, "other_tasks"
    ),
    DatasheetQuestion("4.3.7", gettext_noop("What is asked, word for word?"), NO_CRITERIA, "wording"),
    DatasheetQuestion(
        "4.3.8",
        gettext_noop("What kind of response is elicited?"),
        NO_CRITERIA,
        "elicitation",
        gettext_noop("Say so if evaluators agree or disagree with a statement."),
    ),
    DatasheetQuestion(
        "4.3.9", gettext_noop("How are individual answers turned into reported results?"), NO_CRITERIA, "aggregation"
    ),
    DatasheetQuestion(
        "4.3.10", gettext_noop("How are effect sizes and significance determined?"), NOT_RATED, "significance"
    ),
    DatasheetQuestion(
        "4.3.11",
        gettext_noop("How far do evaluators agree with each other and with themselves, and by what measure?"),
        gettext_noop("Agreement is not defined yet: have items rated by at least two annotators."),
        "agreement_and_intra",
        related=("4.3.11.1", "4.3.11.2", "4.3.12.1", "4.3.12.2"),
    ),
    # --- 5: ethics
    DatasheetQuestion(
        "5.1",
        gettext_noop("Has an ethics committee approved the study, and which one?"),
        gettext_noop("Write yes, with the committee and the approval number, or no."),
    ),
    DatasheetQuestion(
        "5.2",
        gettext_noop("Do outputs or answers contain personal data, and how are they protected?"),
        gettext_noop("Write no, or say which data and how data protection law is followed."),
        "privacy",
        gettext_noop("Say whether dialogues and responses contain personal data, and what was done about it."),
    ),
    DatasheetQuestion(
        "5.3",
        gettext_noop("Do they include special categories of data, such as health, beliefs or origin?"),
        gettext_noop("Write no, or say which data and how the law on such data is followed."),
    ),
    DatasheetQuestion(
        "5.4",
        gettext_noop("Was the impact of the study or of its data assessed?"),
        gettext_noop("Write no, or give the method and the result."),
    ),
)

HEDS2 = Standard("heds-2.0", "HEDS 2.0", SOURCE, SECTIONS, QUESTIONS)
