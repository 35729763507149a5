"""What the measures of predictions are called, and why one is missing. English in downloads."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from measures.estimate import Estimate
from parley.numbers import number
from reporting.explained import Statistic
from reporting.predictions.table import NO_NUMBERS, NOT_LABELS

STATISTICS = {
    each.key: each
    for each in (
        Statistic(
            "accuracy", gettext_noop("Accuracy"), gettext_noop("Share of items with the label that people gave.")
        ),
        Statistic(
            "uar",
            gettext_noop("UAR"),
            gettext_noop(
                "Unweighted average recall, also called macro recall: the mean over the labels that people gave of the "
                "share of their items that got the same label. A frequent label counts no more than a rare one."
            ),
        ),
        Statistic(
            "kappa",
            gettext_noop("Cohen's kappa"),
            gettext_noop(
                "Agreement of the two beyond chance: 1 is always the same, 0 is what chance alone would give."
            ),
        ),
        Statistic(
            "macro_precision",
            gettext_noop("Precision"),
            gettext_noop(
                "Mean over the labels that occur on either side of the share that is right where the label was "
                "predicted; 0 for a label that was never predicted."
            ),
        ),
        Statistic(
            "macro_f1",
            gettext_noop("F1"),
            gettext_noop(
                "Mean over the labels that occur on either side of the harmonic mean of precision and recall."
            ),
        ),
        Statistic(
            "weighted_f1",
            gettext_noop("Weighted F1"),
            gettext_noop("The same mean, each label weighted by how often people gave it."),
        ),
        Statistic(
            "spearman",
            gettext_noop("Spearman"),
            gettext_noop("Correlation of the ranks of the prediction with those of the mean of the human answers."),
        ),
        Statistic(
            "pearson",
            gettext_noop("Pearson"),
            gettext_noop("Linear correlation of the prediction with the mean of the human answers."),
        ),
    )
}
REASONS = {
    NOT_LABELS: gettext_noop("scores are no labels"),
    NO_NUMBERS: gettext_noop("the answers have no numbers and none of them is positive"),
    "no_pairs": gettext_noop("there is no item with both"),
    "too_few_items": gettext_noop("there are fewer than two items with both"),
    "no_variation": gettext_noop("one of the two is always the same"),
}
NOTES = {
    "too_few_items": gettext_noop("No interval: fewer than 10 dialogues."),
    "unreliable": gettext_noop("The interval is unreliable with fewer than 20 dialogues."),
    "no_spread": gettext_noop("No interval: the dialogues are all alike."),
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
        "The human label of an item is the answer that the study's majority rule gives. Items without a majority, or "
        "whose majority is unsure or excludes the item, have none."
    ),
    "score": gettext_noop(
        "Correlations are with the mean of an item's answers: of their numbers, or the share of positive answers where "
        "the options have none."
    ),
    "settled": gettext_noop(
        "A label that was settled at the second look or by a trainer stands in the place of the majority and of the "
        "mean."
    ),
    "intervals": gettext_noop(
        "95 per cent intervals by a bootstrap that draws whole dialogues, 2,000 times (fewer for very many items), "
        "with the study's seed; BCa, and percentile for more than 4,000 kinds of dialogues."
    ),
    "ceiling": gettext_noop(
        "The human ceiling is one annotator against the others: each single answer is compared with the label and the "
        "mean of the other annotators of the item, on the items the metric has a prediction for. It counts answers, "
        "not items, and takes votes as they were given first. Nobody can be expected to predict people better than "
        "people do."
    ),
    "batches": gettext_noop("Only batches of the main work, and answers that count."),
}
MAJORITY = {
    "plurality": gettext_noop("Majority: the answer with strictly more votes than every other."),
    "absolute": gettext_noop("Majority: the answer with more than half of all votes."),
    "decided": gettext_noop("Majority: the answer with strictly more votes than every other, unsure votes left out."),
}


def rules_of(rule: str) -> dict[str, str]:
    return {"majority": MAJORITY[rule], **RULES}


def why_missing(estimate: Estimate) -> str:
    return _(REASONS.get(estimate.reason or "", "")) if estimate.reason in REASONS else _("it could not be computed")


def interval_text(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{number(estimate.low, '.2f')} – {number(estimate.high, '.2f')}"


def note_text(estimate: Estimate) -> str:
    return _(NOTES[estimate.interval_note]) if estimate.interval_note in NOTES else ""


def left_out_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {LEFT_OUT[name]}" for name, n in counts.items())
