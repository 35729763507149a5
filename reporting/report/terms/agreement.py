"""The terms of agreement between annotators."""

from django.utils.translation import gettext_noop

from reporting.report.further import WORDS
from reporting.report.terms.term import FOR_THESE, Term, as_on_the_board

STRONG = "Items nobody was unsure about"
BATCHES = "Means over batches"
BY_CHANCE = gettext_noop("1 is perfect. 0 is what chance alone would give.")
CORRELATED = gettext_noop("1 is the same order, 0 no relation.")
# How to read the further coefficients; the rest are agreement beyond chance.
READINGS = {
    "all_agree_share": gettext_noop("It is not corrected for chance."),
    "icc_1": gettext_noop("1 means that all differences are between items, 0 that none is."),
    "icc_a1": gettext_noop("1 means that all differences are between items, 0 that none is."),
    "icc_c1": gettext_noop("1 means that all differences are between items, 0 that none is."),
    "pearson_mean": CORRELATED,
    "spearman_mean": CORRELATED,
}
FURTHER = tuple(
    Term(key, name, (meaning, READINGS.get(key, BY_CHANCE)), "Coefficients") for key, (name, meaning) in WORDS.items()
)
TERMS = (
    *FURTHER,
    as_on_the_board(
        "alpha", gettext_noop("Krippendorff (2004) asks for .80, or for .67 if conclusions are tentative.")
    ),
    as_on_the_board(
        "fleiss", gettext_noop("Fleiss' kappa ignores the order of the options. For a scale with an order, read alpha.")
    ),
    as_on_the_board("cohen_linear", BY_CHANCE),
    as_on_the_board(
        "cohen_quadratic", BY_CHANCE, gettext_noop("Usually higher than with linear weights, so name the weights.")
    ),
    as_on_the_board(
        "ac1",
        BY_CHANCE,
        gettext_noop(
            "Read it beside kappa if one answer is frequent: kappa can then be low although annotators agree."
        ),
    ),
    as_on_the_board("percent", gettext_noop("With few options or one frequent answer, chance alone makes it high.")),
    as_on_the_board("strong", section=STRONG),
    Term(
        "strong_share",
        gettext_noop("Share of items kept"),
        (gettext_noop("Items that nobody was unsure about, of all items. If few are kept, kappa says little."),),
        STRONG,
    ),
    Term(
        "cohen_pair",
        gettext_noop("Cohen's kappa"),
        (
            gettext_noop("Agreement of two annotators beyond chance, on the items that both rated."),
            BY_CHANCE,
            gettext_noop("With few items in common, it is rough."),
        ),
        "Coefficients",
    ),
    Term(
        "cohen_pair_strong",
        gettext_noop("Cohen's kappa, items nobody was unsure about"),
        (
            gettext_noop("Agreement of two annotators beyond chance, without the items that anybody was unsure about."),
            gettext_noop("Leaving out hard items usually raises it."),
        ),
        STRONG,
    ),
    Term(
        "batch_kappa",
        gettext_noop("Fleiss' kappa, all questions together"),
        (gettext_noop("Fleiss' kappa of all answers of a batch, whatever the question."), BY_CHANCE),
        "Coefficients",
    ),
    Term(
        "agreement_interval",
        gettext_noop("95 per cent interval"),
        (
            gettext_noop(
                "How far the value would vary with other items. Items are drawn again 2,000 times, or whole dialogues, "
                "conversations or scenarios where several items share one. For weighted kappas, they are left out in "
                "turn instead (a jackknife)."
            ),
            gettext_noop("Annotators stay the same. The interval for new annotators is the one for other people."),
            gettext_noop(
                "“Few data” means fewer than 20 of what is drawn: the interval is shown, but is rough. With fewer than "
                "10 there is none."
            ),
            FOR_THESE,
        ),
        "Intervals",
    ),
    Term(
        "new_annotators",
        gettext_noop("New annotators"),
        (
            gettext_noop(
                "The 95 per cent interval of what other annotators of the same kind would reach on other items."
            ),
            gettext_noop("Use it to write about your protocol or to plan another study. Few annotators make it wide."),
        ),
        "Agreement for new annotators",
    ),
    Term(
        "at_least",
        gettext_noop("Words, and “at least …”"),
        (
            gettext_noop(
                "Every value has its word on the scale that the study chose, in the cells and in the margins; in a "
                "cell with batches it is that of the large number."
            ),
            gettext_noop(
                "“At least” adds the word for the lower end of the interval. The lowest word of the scale is left out "
                "there, because every value is at least that."
            ),
            gettext_noop("Words are reading aids, not tests."),
        ),
        "Words and warnings",
    ),
    Term(
        "batch_mean",
        gettext_noop("Mean over the batches"),
        (
            gettext_noop("The large number: Fleiss' kappa of each batch, averaged over the batches of a source."),
            gettext_noop("With small batches it is too low, so read it beside the pooled value."),
        ),
        BATCHES,
    ),
    Term(
        "pooled",
        gettext_noop("Pooled"),
        (gettext_noop("Fleiss' kappa of the items of all batches together. The interval and its word belong to it."),),
        BATCHES,
    ),
    Term(
        "batch_sd",
        gettext_noop("Standard deviation (sd)"),
        (gettext_noop("How much kappa varies from batch to batch; in the margins, how much the means vary."),),
        BATCHES,
    ),
    Term(
        "alpha_check",
        gettext_noop("Alpha, computed twice"),
        (
            gettext_noop("Whether Parley and an independent package find the same alpha in the same answers."),
            gettext_noop("It guards against errors of the program. It says nothing about your data."),
        ),
        "Alpha, computed twice",
    ),
    Term(
        "agreement_items",
        gettext_noop("Items"),
        (gettext_noop("Items with two answers or more. Items with one vote are counted below them."),),
        "Conventions",
    ),
)
