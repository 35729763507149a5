"""The rules a report was made with, in words that are printed beside its numbers, and the majority rule itself."""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from annotation.models import Study
from measures.histograms import Histogram
from measures.labels import WordScale
from protocols.models import Option
from protocols.specs import CriterionSpec

Rule = Study.MajorityRule
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


def places(criterion: CriterionSpec, role: str) -> list[int]:
    return [at for at, option in enumerate(criterion.options) if option.role == role]


def positive_patterns(histogram: Histogram, criterion: CriterionSpec, rule: str) -> BoolArray:
    """(P,) whether an item of each pattern is positive under the study's majority rule."""
    return positive_rows(histogram.patterns, criterion, rule)


def positive_rows(tallies: IntArray, criterion: CriterionSpec, rule: str) -> BoolArray:
    """(N,) the same for rows of votes per option.

    Several positive options count as one; every other option stands alone.
    """
    at = places(criterion, Option.Role.POSITIVE)
    others = [place for place in range(len(criterion.options)) if place not in at]
    negative = tallies[:, places(criterion, Option.Role.NEGATIVE)].max(axis=1, initial=0)
    return RULES[rule](tallies[:, at].sum(axis=1), tallies[:, others], tallies.sum(axis=1), negative)


RULES: dict[str, Callable[[IntArray, IntArray, IntArray, IntArray], BoolArray]] = {
    Rule.PLURALITY: lambda positive, others, votes, negative: positive > others.max(axis=1, initial=0),
    Rule.ABSOLUTE: lambda positive, others, votes, negative: 2 * positive > votes,
    Rule.DECIDED: lambda positive, others, votes, negative: positive > negative,
}


def tied_patterns(histogram: Histogram) -> BoolArray:
    """(P,) whether no option alone has the most votes."""
    ranked = np.sort(histogram.patterns, axis=1)
    if ranked.shape[1] < 2:
        return np.zeros(len(ranked), bool)
    return ranked[:, -1] == ranked[:, -2]


# In English, as a download has them; a page shows them in its reader's language: see rules_in_words.
MAJORITY = {
    Rule.PLURALITY: gettext_noop(
        "An item is positive when positive has strictly more votes than every other option; a tie is not positive."
    ),
    Rule.ABSOLUTE: gettext_noop(
        "An item is positive when positive has more than half of all votes; a tie is not positive."
    ),
    Rule.DECIDED: gettext_noop(
        "An item is positive when positive has strictly more votes than negative, unsure votes left out; a tie is not "
        "positive."
    ),
}
UNSURE = gettext_noop("An item whose majority is unsure is not positive; it stays among the items that shares are of.")
UNSURE_LEFT_OUT = gettext_noop(
    "Unsure votes are left out: an item can be positive though most of its votes are unsure."
)
SENTENCES = {
    "ties": gettext_noop("An item is tied when it is not positive and no single option has the most votes."),
    "exclusions": gettext_noop(
        "Answers that exclude an item are no answers on the scale. Agreement, Cohen's kappa, majorities, shares of "
        "votes, means, breakdowns and comparisons leave them out as missing votes and say how many; the distributions "
        "show them."
    ),
    "counted": gettext_noop(
        "An answer counts while its annotator holds a seat of the batch; the latest answer is taken."
    ),
    "batches": gettext_noop("Only batches of the main work; pilots, training and qualification are left out."),
    "agreement": gettext_noop(
        "Fleiss' kappa over all options as categories, unsure among them. The mean and sd over batches "
        "leave undefined cells out and count them; pooled is the kappa of all items together."
    ),
    "unequal_raters": gettext_noop(
        "Items with one vote enter the expected agreement of Fleiss' kappa and AC1, the shares of the answers, but not "
        "the observed agreement (Gwet 2014); with many of them kappa can lie below −1. Krippendorff's alpha, Cohen's "
        "kappa and per cent agreement leave them out. With unequal numbers of votes each item weighs the same."
    ),
    "strong": gettext_noop("Strong judgements: items that nobody answered with an unsure option."),
    "pairs": gettext_noop(
        "Cohen's kappa of two annotators over all their common judgements of a batch, and over those of items that "
        "nobody answered with an unsure option. Criteria whose answers are alike are taken together."
    ),
    "weighted": gettext_noop(
        "Weighted kappa is the mean of Cohen's weighted kappas over the pairs of annotators with items in common, all "
        "sources and batches together. Unsure answers are missing ones; an ordinal scale is weighted by the places of "
        "its answers, an interval scale by their numbers. Its interval is a jackknife over dialogues, in at most 200 "
        "groups."
    ),
    "resampling": gettext_noop(
        "Intervals of pooled agreement are BCa bootstrap intervals at 95 per cent from 2,000 resamples, drawn by the "
        "study's seed: of items, or of whole dialogues where several items share one."
    ),
    "comparisons": gettext_noop(
        "Sources are compared on the answers of the same annotators to the same dialogues, by a t test whose variance "
        "takes dialogues and annotators for samples; p values are corrected over the pairs of a criterion."
    ),
    "votes": gettext_noop("Shares of all counted answers, not of items."),
    "final_labels": gettext_noop(
        "The final label of an item is the one that was settled at the second look or by a trainer, or else the answer "
        "with the most votes by the majority rule. Items whose votes are tied, that most annotators exclude, or whose "
        "majority is unsure have none."
    ),
    "predictions": gettext_noop(
        "Accuracy compares predicted labels with the final labels. Correlations compare numbers with the mean of an "
        "item's answers, or with its settled label. Intervals are 95 per cent bootstrap intervals over dialogues."
    ),
    "errors": gettext_noop(
        "Share of all answers to the criterion that gave the reason; reasons do not exclude each other."
    ),
    "negatives": gettext_noop(
        "The share of negative answers with a free text has two denominators: all negative answers to the criterion, "
        "and those of them that were explained, by a free text or a predefined reason."
    ),
}
WORDS = {
    WordScale.LANDIS_KOCH: gettext_noop(
        "Words for kappas are those of Landis and Koch (1977, Biometrics 33): poor below 0, slight to .20, fair to "
        ".40, moderate to .60, substantial to .80, almost perfect above. Words for alpha are Krippendorff's (2004, "
        "Content Analysis): reliable from .800, tentative from .667, unreliable below."
    ),
    WordScale.KRIPPENDORFF: gettext_noop(
        "Words for all coefficients are those of Krippendorff (2004, Content Analysis): reliable from .800, tentative "
        "from .667, unreliable below."
    ),
    WordScale.NONE: gettext_noop("The study uses no words for the strength of agreement."),
}
FEEDBACK = gettext_noop(
    "Annotators were told during the work how often they agreed with the majority of the others, by tens of items: "
    "their answers are not quite independent. The methods say when."
)
RULE_NAMES = {
    "majority": pgettext_lazy("a rule of the report", "Majority"),
    "ties": pgettext_lazy("a rule of the report", "Ties"),
    "unsure": pgettext_lazy("a rule of the report", "Unsure majority"),
    "exclusions": pgettext_lazy("a rule of the report", "Exclusions"),
    "resampling": pgettext_lazy("a rule of the report", "Resampling"),
    "comparisons": pgettext_lazy("a rule of the report", "Comparisons"),
    "counted": pgettext_lazy("a rule of the report", "Counted"),
    "batches": pgettext_lazy("a rule of the report", "Batches"),
    "agreement": pgettext_lazy("a rule of the report", "Agreement"),
    "unequal_raters": pgettext_lazy("a rule of the report", "Unequal raters"),
    "strong": pgettext_lazy("a rule of the report", "Strong"),
    "pairs": pgettext_lazy("a rule of the report", "Pairs"),
    "weighted": pgettext_lazy("a rule of the report", "Weighted kappa"),
    "words": pgettext_lazy("a rule of the report", "Words"),
    "votes": pgettext_lazy("a rule of the report", "Votes"),
    "final_labels": pgettext_lazy("a rule of the report", "Final labels"),
    "predictions": pgettext_lazy("a rule of the report", "Predictions"),
    "errors": pgettext_lazy("a rule of the report", "Errors"),
    "negatives": pgettext_lazy("a rule of the report", "Negative answers"),
    "feedback": pgettext_lazy("a rule of the report", "Feedback"),
}


def rules_of(study: Study, *, is_told: bool) -> dict[str, str]:
    """What is printed under the tables, so that a reader can compute the same numbers.

    `is_told`: annotators were told during the work how they agree.
    """
    rule = Rule(study.majority_rule)
    unsure = UNSURE_LEFT_OUT if rule == Rule.DECIDED else UNSURE
    feedback = {"feedback": FEEDBACK} if is_told else {}
    words = WORDS[WordScale(study.word_scale)]
    return {"majority": MAJORITY[rule], "unsure": unsure, **SENTENCES, "words": words, **feedback}


def majority_sentence(rule: str) -> str:
    return _(MAJORITY[Rule(rule)])


def rules_in_words(rules: Mapping[str, str]) -> dict[str, str]:
    return {name: _(sentence) for name, sentence in rules.items()}
