"""The rules of a report, in words that are printed beside its numbers, and the majority rule itself."""

from collections.abc import Callable, Mapping

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from annotation.agreement_cells import places_of
from annotation.models import Study
from measures.arrays import BoolArray, IntArray
from measures.histograms import Histogram
from measures.labels import WordScale
from protocols.models import Option, ProtocolVersion
from protocols.specs import CriterionSpec, spec_of

Rule = Study.MajorityRule


def positive_rows(tallies: IntArray, criterion: CriterionSpec, rule: str) -> BoolArray:
    """Return (N,) whether an item with these votes per option is positive under the study's majority rule.

    Several positive options count as one; every other option counts separately.
    """
    at = places_of(criterion, Option.Role.POSITIVE)
    others = [place for place in range(len(criterion.options)) if place not in at]
    negative = tallies[:, places_of(criterion, Option.Role.NEGATIVE)].max(axis=1, initial=0)
    return RULES[rule](tallies[:, at].sum(axis=1), tallies[:, others], tallies.sum(axis=1), negative)


RULES: dict[str, Callable[[IntArray, IntArray, IntArray, IntArray], BoolArray]] = {
    Rule.PLURALITY: lambda positive, others, votes, negative: positive > others.max(axis=1, initial=0),
    Rule.ABSOLUTE: lambda positive, others, votes, negative: 2 * positive > votes,
    Rule.DECIDED: lambda positive, others, votes, negative: positive > negative,
}


def tied_patterns(histogram: Histogram) -> BoolArray:
    """Return (P,) whether no single option has the most votes."""
    ranked = np.sort(histogram.patterns, axis=1)
    if ranked.shape[1] < 2:
        return np.zeros(len(ranked), bool)
    return ranked[:, -1] == ranked[:, -2]


# Downloads have them in English; pages translate them with rules_in_words.
MAJORITY = {
    Rule.PLURALITY: gettext_noop(
        "An item is positive if the positive option has strictly more votes than every other option; a "
        "tie is not positive."
    ),
    Rule.ABSOLUTE: gettext_noop(
        "An item is positive if the positive option has more than half of all votes; a tie is not positive."
    ),
    Rule.DECIDED: gettext_noop(
        "An item is positive if the positive option has strictly more votes than the negative option, "
        "not counting unsure votes; a tie is not positive."
    ),
}
UNSURE = gettext_noop("An item whose majority is unsure is not positive, but it remains in the denominator of shares.")
UNSURE_LEFT_OUT = gettext_noop(
    "Unsure votes are left out: an item can be positive even if most of its votes are unsure."
)
SENTENCES = {
    "ties": gettext_noop("An item is tied if it is not positive and no single option has the most votes."),
    "exclusions": gettext_noop(
        "Answers that exclude an item are not answers on the scale. Agreement, Cohen's kappa, "
        "majorities, shares of votes, means, breakdowns and comparisons treat them as missing votes and "
        "report their number; the distributions show them."
    ),
    "counted": gettext_noop(
        "An answer counts while its annotator holds a seat in the batch; the latest answer is used."
    ),
    "batches": gettext_noop("Only main batches count; pilot, training and qualification batches are left out."),
    "agreement": gettext_noop(
        "Fleiss' kappa treats all options as categories, including unsure. The mean and sd over batches "
        "leave out undefined cells and report their number; pooled is the kappa of all items together."
    ),
    "unequal_raters": gettext_noop(
        "Items with one vote enter the expected agreement of Fleiss' kappa and AC1 (the shares of the "
        "answers), but not the observed agreement (Gwet 2014); if there are many of them, kappa can be "
        "below −1. Krippendorff's alpha, Cohen's kappa and per cent agreement leave them out. With "
        "unequal numbers of votes, every item has the same weight."
    ),
    "strong": gettext_noop("Strong judgements: items for which nobody chose an unsure option."),
    "pairs": gettext_noop(
        "Cohen's kappa of two annotators over all judgements they share in a batch, and over those on "
        "items for which nobody chose an unsure option. Criteria with the same options are pooled."
    ),
    "weighted": gettext_noop(
        "Weighted kappa is the mean of Cohen's weighted kappas over the pairs of annotators with items "
        "in common, with all sources and batches together. Unsure answers are treated as missing; an "
        "ordinal scale is weighted by the positions of its options, an interval scale by their numbers. "
        "The interval comes from a jackknife over dialogues, in at most 200 groups."
    ),
    "resampling": gettext_noop(
        "Intervals of pooled agreement are 95 per cent BCa bootstrap intervals from 2,000 resamples, "
        "drawn with the study's seed. Items are resampled, or whole dialogues where several items share "
        "one."
    ),
    "comparisons": gettext_noop(
        "Sources are compared on the answers of the same annotators to the same dialogues, by a t test "
        "whose variance treats dialogues and annotators as random samples; p values are corrected over "
        "the pairs of sources within each criterion."
    ),
    "votes": gettext_noop("Shares of all counted answers, not of items."),
    "final_labels": gettext_noop(
        "The final label of an item is the label settled by re-rating or by a trainer; otherwise it is "
        "the answer with the most votes under the majority rule. Items whose votes are tied, that most "
        "annotators exclude, or whose majority is unsure have no final label."
    ),
    "predictions": gettext_noop(
        "Accuracy compares predicted labels with final labels. Correlations compare numbers with the "
        "mean of an item's answers, or with its settled label. Intervals are 95 per cent bootstrap "
        "intervals over dialogues."
    ),
    "errors": gettext_noop(
        "Share of all answers to the criterion that gave the reason; reasons are not mutually exclusive."
    ),
    "negatives": gettext_noop(
        "The share of negative answers with a free text has two denominators: all negative answers to "
        "the criterion, and only those explained by a free text or a predefined reason."
    ),
}
WORDS = {
    WordScale.LANDIS_KOCH: gettext_noop(
        "The verbal scale for kappa is that of Landis and Koch (1977, Biometrics 33): poor below 0, "
        "slight to .20, fair to .40, moderate to .60, substantial to .80, almost perfect above. The "
        "verbal scale for alpha is that of Krippendorff (2004, Content Analysis): reliable from .800, "
        "tentative from .667, unreliable below."
    ),
    WordScale.KRIPPENDORFF: gettext_noop(
        "The verbal scale for all coefficients is that of Krippendorff (2004, Content Analysis): "
        "reliable from .800, tentative from .667, unreliable below."
    ),
    WordScale.NONE: gettext_noop("The study uses no verbal scale for the strength of agreement."),
}
PAIRINGS = gettext_noop(
    "Answers to comparisons are stored for the candidates, on whichever side they stood: (A) is the first source of a "
    "pair and (B) the second. Which one stood on the left was drawn for each annotator, so that each source was on the "
    "left as often as on the right. Pairs of identical texts were not shown and are counted as ties of their own kind. "
    "The share of the left side is that of all answers that prefer a side; its 95 per cent interval is Wilson's and "
    "treats answers as independent. Pairs shown again with the sides swapped count only where they are named."
)
FEEDBACK = gettext_noop(
    "During the work, annotators were told how often they agreed with the majority of the others, in "
    "blocks of ten items: their answers are not fully independent. The methods say when."
)
RULE_NAMES = {
    "majority": pgettext_lazy("a rule of the report", "Majority"),
    "ties": pgettext_lazy("a rule of the report", "Ties"),
    "unsure": pgettext_lazy("a rule of the report", "Unsure majority"),
    "exclusions": pgettext_lazy("a rule of the report", "Exclusions"),
    "resampling": pgettext_lazy("a rule of the report", "Resampling"),
    "comparisons": pgettext_lazy("a rule of the report", "Comparisons"),
    "counted": pgettext_lazy("a rule of the report", "Counted answers"),
    "batches": pgettext_lazy("a rule of the report", "Batches"),
    "agreement": pgettext_lazy("a rule of the report", "Agreement"),
    "unequal_raters": pgettext_lazy("a rule of the report", "Unequal numbers of votes"),
    "strong": pgettext_lazy("a rule of the report", "Strong judgements"),
    "pairings": pgettext_lazy("a rule of the report", "Comparisons of pairs"),
    "pairs": pgettext_lazy("a rule of the report", "Pairs"),
    "weighted": pgettext_lazy("a rule of the report", "Weighted kappa"),
    "words": pgettext_lazy("a rule of the report", "Verbal scale"),
    "votes": pgettext_lazy("a rule of the report", "Votes"),
    "final_labels": pgettext_lazy("a rule of the report", "Final labels"),
    "predictions": pgettext_lazy("a rule of the report", "Predictions"),
    "errors": pgettext_lazy("a rule of the report", "Errors"),
    "negatives": pgettext_lazy("a rule of the report", "Negative answers"),
    "feedback": pgettext_lazy("a rule of the report", "Feedback"),
}


def rules_of(study: Study, *, is_told: bool) -> dict[str, str]:
    """Return the rules to print under the tables, so that a reader can compute the same numbers.

    `is_told`: annotators were told during the work how they agree.
    """
    rule = Rule(study.majority_rule)
    unsure = UNSURE_LEFT_OUT if rule == Rule.DECIDED else UNSURE
    feedback = {"feedback": FEEDBACK} if is_told else {}
    words = WORDS[WordScale(study.word_scale)]
    is_comparing = ProtocolVersion.Unit.COMPARISON in spec_of(study.protocol_version).units
    compared = {"pairings": PAIRINGS} if is_comparing else {}
    return {"majority": MAJORITY[rule], "unsure": unsure, **SENTENCES, **compared, "words": words, **feedback}


def majority_sentence(rule: str) -> str:
    return _(MAJORITY[Rule(rule)])


def rules_in_words(rules: Mapping[str, str]) -> dict[str, str]:
    return {name: _(sentence) for name, sentence in rules.items()}
