"""The names of the measures of predictions, and reasons why one is missing. Downloads have them in English."""

from django.utils.translation import gettext_noop, pgettext_lazy

from reporting.explained import Statistic
from reporting.predictions.table import NO_NUMBERS, NOT_LABELS

STATISTICS = {
    each.key: each
    for each in (
        Statistic(
            "accuracy",
            gettext_noop("Accuracy"),
            gettext_noop("Share of items whose prediction matches the human label."),
        ),
        Statistic(
            "uar",
            gettext_noop("UAR"),
            gettext_noop(
                "Unweighted average recall, also called macro recall: for each human label, the share of its "
                "items that were predicted correctly, averaged over the labels. A frequent label counts no more "
                "than a rare one."
            ),
        ),
        Statistic(
            "kappa",
            gettext_noop("Cohen's kappa"),
            gettext_noop(
                "Agreement of the two beyond chance: 1 means always the same, 0 is what chance alone would give."
            ),
        ),
        Statistic(
            "macro_precision",
            gettext_noop("Precision"),
            gettext_noop(
                "For each label that occurs on either side, the share of its predictions that are right, "
                "averaged over the labels. A label that was never predicted counts as 0."
            ),
        ),
        Statistic(
            "macro_f1",
            gettext_noop("F1"),
            gettext_noop("Harmonic mean of precision and recall, averaged over the labels that occur on either side."),
        ),
        Statistic(
            "weighted_f1",
            gettext_noop("Weighted F1"),
            gettext_noop("The same mean, with each label weighted by how often people gave it."),
        ),
        Statistic(
            "spearman",
            gettext_noop("Spearman"),
            gettext_noop("Correlation between the ranks of the predictions and the ranks of the mean human answers."),
        ),
        Statistic(
            "pearson",
            gettext_noop("Pearson"),
            gettext_noop("Linear correlation between the predictions and the mean human answers."),
        ),
    )
}
REASONS = {
    NOT_LABELS: gettext_noop("scores are not labels"),
    NO_NUMBERS: gettext_noop("the answers have no numbers and none of them is positive"),
    "no_pairs": gettext_noop("no item has both"),
    "too_few_items": gettext_noop("fewer than two items have both"),
    "no_variation": gettext_noop("one of the two is always the same"),
}
NOTES = {
    "too_few_items": gettext_noop("No interval: fewer than 10 dialogues."),
    "unreliable": gettext_noop("Few data: with fewer than 20 dialogues, the interval is rough."),
    "no_spread": gettext_noop("No interval: all or nearly all resamples give the same value."),
    "unstable_bootstrap": gettext_noop("No interval: too many resamples were undefined."),
}
LEFT_OUT = {
    "unrated": pgettext_lazy("why an item is left out", "no answer"),
    "excluded": pgettext_lazy("why an item is left out", "excluded by its answers"),
    "tied": pgettext_lazy("why an item is left out", "no majority"),
    "unsure": pgettext_lazy("why an item is left out", "majority unsure"),
    "no_prediction": pgettext_lazy("why an item is left out", "no prediction"),
}
RULES = {
    "label": gettext_noop(
        "The human label of an item is the answer given by the study's majority rule. Items without a "
        "majority, or whose majority is unsure or excludes the item, have no human label."
    ),
    "score": gettext_noop(
        "Correlations use the mean of an item's answers: of their numbers or, where the options have no "
        "numbers, the share of positive answers."
    ),
    "settled": gettext_noop("A label settled by re-rating or by a trainer replaces the majority and the mean."),
    "intervals": gettext_noop(
        "95 per cent intervals come from a bootstrap over whole dialogues, with 2,000 resamples (fewer "
        "for very many items) and the study's seed. They are BCa intervals, or percentile intervals for "
        "more than 4,000 kinds of dialogues."
    ),
    "ceiling": gettext_noop(
        "The human ceiling says how well one answer tells what other people say. Each answer is compared with one "
        "other answer to the same item, and with the rest of them, where tied labels share the credit. No item is "
        "left out because people disagree, each item counts once, and the metric is compared with the same answers. "
        "Answers are used as they were first given."
    ),
    "batches": gettext_noop("Only main batches, and only answers that count."),
}
MAJORITY = {
    "plurality": gettext_noop("Majority: the answer with strictly more votes than every other."),
    "absolute": gettext_noop("Majority: the answer with more than half of all votes."),
    "decided": gettext_noop(
        "Majority: the answer with strictly more votes than every other, not counting unsure votes."
    ),
}


def rules_of(rule: str) -> dict[str, str]:
    return {"majority": MAJORITY[rule], **RULES}
