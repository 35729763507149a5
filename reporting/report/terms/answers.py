"""The terms of shares, plain means and times, of predictions and of batch acceptance."""

from django.utils.translation import gettext_noop

from reporting.explained import COUNTED
from reporting.report.terms.term import Term

MAJORITY = "Majority rules"
DISTRIBUTIONS = "Distributions"
PREDICTIONS = "Predictions against people"
TIMES = "Time and pay"
ACCEPTANCE = "Read the results"
OVER_DIALOGUES = gettext_noop("The 95 per cent interval holds for other dialogues of the same kind.")
TERMS = (
    Term(
        "majority",
        gettext_noop("Positive by majority"),
        (
            gettext_noop("The share of items that most votes call positive."),
            gettext_noop("A tie is not positive. The settings of the study name the rule."),
            COUNTED,
        ),
        MAJORITY,
    ),
    Term(
        "positive_votes",
        gettext_noop("Positive votes"),
        (gettext_noop("The share of all votes that are positive."), COUNTED),
        MAJORITY,
    ),
    Term(
        "plain_mean",
        gettext_noop("Plain mean"),
        (
            gettext_noop("The mean of all answers with a number; each counts the same."),
            gettext_noop(
                "The mean by the model can differ if annotators or dialogues have unequal numbers of ratings."
            ),
        ),
        DISTRIBUTIONS,
    ),
    Term(
        "sd",
        gettext_noop("Standard deviation (sd)"),
        (gettext_noop("How far single answers typically lie from their mean."), COUNTED),
        DISTRIBUTIONS,
    ),
    Term(
        "median",
        gettext_noop("Median"),
        (gettext_noop("The value in the middle: half of all values are at most as high."), COUNTED),
        DISTRIBUTIONS,
    ),
    Term(
        "lower_quartile",
        gettext_noop("Lower quartile"),
        (gettext_noop("A quarter of all values are at most as high."), COUNTED),
        TIMES,
    ),
    Term(
        "upper_quartile",
        gettext_noop("Upper quartile"),
        (gettext_noop("Three quarters of all values are at most as high."), COUNTED),
        TIMES,
    ),
    Term(
        "marks_share",
        gettext_noop("Share of the marks"),
        (gettext_noop("Marks on this turn, of all marks of the question and source."), COUNTED),
        DISTRIBUTIONS,
    ),
    Term(
        "errors",
        gettext_noop("Errors"),
        (
            gettext_noop("The share of all answers to the question that give this reason."),
            gettext_noop("An answer can give several reasons, so shares can add up to more than 100 per cent."),
            COUNTED,
        ),
        MAJORITY,
    ),
    Term(
        "texts_of_negative",
        gettext_noop("Share of negative answers"),
        (gettext_noop("Negative answers with a free text, of all negative answers to the question."), COUNTED),
        MAJORITY,
    ),
    Term(
        "texts_of_explained",
        gettext_noop("Share of explained answers"),
        (
            gettext_noop("Negative answers with a free text, of those with a free text or a predefined reason."),
            COUNTED,
        ),
        MAJORITY,
    ),
    Term(
        "accuracy",
        gettext_noop("Accuracy"),
        (gettext_noop("The share of items on which the metric gives the final label of people."), OVER_DIALOGUES),
        PREDICTIONS,
    ),
    Term(
        "spearman",
        gettext_noop("Spearman"),
        (
            gettext_noop("Whether the metric puts items in the same order as people's mean answers."),
            gettext_noop("1 is the same order, 0 no relation, −1 the reverse order."),
            OVER_DIALOGUES,
        ),
        PREDICTIONS,
    ),
    Term(
        "pearson",
        gettext_noop("Pearson"),
        (
            gettext_noop("Whether the metric rises evenly with people's mean answers."),
            gettext_noop("1 is a straight line upwards, 0 no relation, −1 a straight line downwards."),
            OVER_DIALOGUES,
        ),
        PREDICTIONS,
    ),
    Term(
        "first_pass",
        gettext_noop("First-pass yield"),
        (
            gettext_noop("The share of batches that are accepted in their first round, of those accepted or returned."),
            gettext_noop("The Wilson interval says how far the share is known from so few batches."),
        ),
        ACCEPTANCE,
        "batch-acceptance.md",
    ),
    Term(
        "controllers",
        gettext_noop("Controller agreement"),
        (
            gettext_noop("Cohen's kappa of two controllers who reviewed the same items."),
            gettext_noop("1 is perfect. 0 is what chance alone would give."),
        ),
        ACCEPTANCE,
        "batch-acceptance.md",
    ),
)
