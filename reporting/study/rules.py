"""The rules of a report, in words that are printed beside its numbers, and the majority rule itself."""

from collections.abc import Callable, Mapping
from enum import StrEnum

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from annotation.agreement_cells import places_of
from annotation.models import Batch, Rating, Study
from annotation.pairings import compares_several
from measures.arrays import BoolArray, IntArray
from measures.histograms import Histogram
from measures.labels import WordScale
from protocols.models import Criterion, Option, ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from reporting.study.pairings import are_sides_known, has_several_pairs

Rule = Study.MajorityRule


class Unit(StrEnum):
    """What intervals and tests take as independent of each other."""

    DIALOGUE = "dialogue"
    CONVERSATION = "conversation"
    SCENARIO = "scenario"


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
        "An item is positive if the positive option has strictly more votes than every negative option, "
        "not counting unsure votes; a tie is not positive."
    ),
}
# The same where a question has several positive options.
MAJORITY_TOGETHER = {
    Rule.PLURALITY: gettext_noop(
        "An item is positive if the positive options together have strictly more votes than every other option; a "
        "tie is not positive."
    ),
    Rule.ABSOLUTE: gettext_noop(
        "An item is positive if the positive options together have more than half of all votes; a tie is not positive."
    ),
    Rule.DECIDED: gettext_noop(
        "An item is positive if the positive options together have strictly more votes than every negative option, "
        "not counting unsure votes; a tie is not positive."
    ),
}
UNSURE = gettext_noop("An item whose majority is unsure is not positive, but it remains in the denominator of shares.")
UNSURE_LEFT_OUT = gettext_noop(
    "Unsure votes are left out: an item can be positive even if most of its votes are unsure."
)
SENTENCES = {
    "ties": gettext_noop(
        "An item is tied if it is not positive and no single option has the most votes. Final labels count every "
        "option by itself: an item that is positive because several options count together can be without a majority "
        "there."
    ),
    "exclusions": gettext_noop(
        "Answers that exclude an item are not answers on the scale. Agreement, Cohen's kappa, "
        "majorities, shares of votes, means, breakdowns and comparisons treat them as missing votes and "
        "report their number; the distributions show them."
    ),
    "counted": gettext_noop(
        "An answer is what one annotator gave to one question about one item: one option, several options together, "
        "marked turns, a text, or that none applies; an answer computed from others counts too. It counts while its "
        "annotator holds a seat in the batch; the latest answer is used. The exported file has a row for each, and "
        "its column is_counted is true. Items are counted if they have an answer."
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
    "strong": gettext_noop("Only items for which nobody chose an unsure option."),
    "pairs": gettext_noop(
        "Cohen's kappa of two annotators over all answers they have in common in a batch, and over those on "
        "items for which nobody chose an unsure option. Criteria with the same options are pooled."
    ),
    "weighted": gettext_noop(
        "Weighted kappa is the mean of Cohen's weighted kappas over the pairs of annotators with items "
        "in common, with all sources and batches together. Unsure answers are treated as missing; an "
        "ordinal scale is weighted by the positions of its options, an interval scale by their numbers."
    ),
    "new_annotators": gettext_noop(
        "These intervals hold for the annotators who rated. Intervals for new annotators take the annotators "
        "for a sample too, by a two-way jackknife over annotators and over items or the groups that are "
        "resampled; they say what agreement to expect if others repeat the study."
    ),
    "votes": gettext_noop("Shares of all counted answers, not of items."),
    "final_labels": gettext_noop(
        "The final label of an item is the label settled by re-rating or by a trainer; otherwise it is "
        "the answer with the most votes under the majority rule. Items that most annotators exclude, on "
        "which no single option has the majority, or whose majority is unsure have no final label."
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
RESAMPLING = {
    Unit.DIALOGUE: gettext_noop(
        "Intervals of pooled agreement are 95 per cent BCa bootstrap intervals from 2,000 resamples, "
        "drawn with the study's seed. Items are resampled, or whole dialogues where several items share "
        "one."
    ),
    Unit.CONVERSATION: gettext_noop(
        "Intervals of pooled agreement are 95 per cent BCa bootstrap intervals from 2,000 resamples, "
        "drawn with the study's seed. Items are resampled, or whole conversations where several items share "
        "one."
    ),
    Unit.SCENARIO: gettext_noop(
        "Intervals of pooled agreement are 95 per cent BCa bootstrap intervals from 2,000 resamples, "
        "drawn with the study's seed. Items are resampled, or whole scenarios where several items share "
        "one."
    ),
}
WEIGHTED_INTERVALS = {
    Unit.DIALOGUE: gettext_noop(
        "The interval of a weighted kappa comes from a jackknife over dialogues, in at most 200 groups."
    ),
    Unit.CONVERSATION: gettext_noop(
        "The interval of a weighted kappa comes from a jackknife over conversations, in at most 200 groups."
    ),
    Unit.SCENARIO: gettext_noop(
        "The interval of a weighted kappa comes from a jackknife over scenarios, in at most 200 groups."
    ),
}
# Whether every dialogue is a conversation of its own.
COMPARISONS = {
    False: gettext_noop(
        "Sources are compared on all answers that have a score, by a linear mixed model with crossed random "
        "effects of annotators and conversations, so intervals and tests hold for new annotators and new "
        "conversations. A conversation is a dialogue, all turns of a conversation, or all dialogues of a "
        "scenario. p values are corrected by Holm's method over the pairs of sources within each criterion."
    ),
    True: gettext_noop(
        "Sources are compared on all answers that have a score, by a linear mixed model with crossed random "
        "effects of annotators and dialogues, so intervals and tests hold for new annotators and new dialogues. "
        "p values are corrected by Holm's method over the pairs of sources within each criterion."
    ),
}
PAIRINGS = gettext_noop(
    "Answers to comparisons are stored for the responses or dialogues that were compared, on whichever side they "
    "stood: A is the first source of a pair and B the second. Pairs of identical texts were not shown and are "
    "counted as ties of their own kind."
)
DRAWN_SIDES = gettext_noop(
    "For answers given in Parley, the side of each source was drawn for each annotator, so that each source was on the "
    "left as often as on the right."
)
SIDE_SHARES = gettext_noop(
    "The share of the left side is that of all answers with known sides that prefer one; its 95 per cent interval is "
    "Wilson's and treats answers as independent. Pairs shown again with the sides swapped count only where they are "
    "named."
)
FILE_SIDES = gettext_noop("The sides of imported answers are those that their file says.")
IMPORTED_SIDES = gettext_noop(
    "The sides of imported preferences are not known where their file does not say which source stood on the left."
)
RANKINGS = gettext_noop(
    "Bradley-Terry model; if there are ties, with a parameter for them (Davidson 1970), and where sides are known, "
    "with one for the side (Davidson and Beaver 1977). Degrees such as “much better” count as better. Answers that "
    "call both bad are no ties and are left out. A strength is on the log scale with mean 0. Models that count a tie "
    "as half a win have smaller strengths: do not compare the two. The win rate is the expected score against each "
    "other source, averaged: wins plus half of the ties. If the model has a parameter for the side, that is the score "
    "with the sides even; otherwise it assumes that neither side is preferred. With 95 per cent confidence, the ranks "
    "of all sources lie within those shown, all at once (Al Mohamad, Goeman and van Zwet 2022). Intervals of "
    "strengths and of win rates hold one by one: they are not corrected for their number."
)
RANK_INTERVALS = {
    Unit.DIALOGUE: gettext_noop(
        "Intervals of rankings are 95 per cent intervals for pairs of other dialogues and for other annotators: the "
        "variance is clustered on both (Cameron, Gelbach and Miller 2011) by a jackknife (MacKinnon, Nielsen and Webb "
        "2024), with Satterthwaite's degrees of freedom."
    ),
    Unit.CONVERSATION: gettext_noop(
        "Intervals of rankings are 95 per cent intervals for pairs of other conversations and for other annotators: "
        "the variance is clustered on both (Cameron, Gelbach and Miller 2011) by a jackknife (MacKinnon, Nielsen and "
        "Webb 2024), with Satterthwaite's degrees of freedom."
    ),
    Unit.SCENARIO: gettext_noop(
        "Intervals of rankings are 95 per cent intervals for pairs of other scenarios and for other annotators: the "
        "variance is clustered on both (Cameron, Gelbach and Miller 2011) by a jackknife (MacKinnon, Nielsen and Webb "
        "2024), with Satterthwaite's degrees of freedom."
    ),
}
BEHAVIOURS = gettext_noop(
    "A behaviour is an option of a question with several answers. Its rate is a mean of the mixed model of the "
    "comparisons, on 1 for answers that tick it and 0 for others (a linear probability model). It estimates the share "
    "of answers that tick it, and can differ from the plain share, which the distributions show. Answers that tick "
    "nothing, or say that none applies, count as not ticked. The rate of the conversations is the model's mean over "
    "the pairs of an annotator and a conversation, with 1 if the annotator ticked it at least once. p values are "
    "corrected by Holm's method over the pairs of sources of each behaviour. The share of positive agreement is how "
    "often another annotator of the item also ticks what one has ticked (de Vet, Dikmans and Eekhout 2017)."
)
OVERLAPS = gettext_noop(
    "The overlap of marked turns is Jaccard's coefficient (1912): turns that both annotators of a pair marked, divided "
    "by turns that either marked, as a mean over the pairs of annotators of each item. A pair of which neither marked "
    "a turn is left out and counted."
)
FEEDBACK = gettext_noop(
    "During the work, annotators were told how often they agreed with the majority of the others, in "
    "blocks of ten items: their answers are not fully independent. The methods say when."
)
SEVERAL_PAIRS = gettext_noop(
    "Answers about several pairs of sources are left out of the tables of all votes and of final labels: the first "
    "source of one pair is not that of another, so their sum means nothing. Comparisons of pairs and the ranking give "
    "the answers by source."
)
BOTH_ORDERS = gettext_noop(
    "Agreement on pairs of more than two sources: which source of a pair is the first depends on the order of the "
    "sources only. So chance agreement is computed from the answers in both orders, half each: an answer for the first "
    "source is also half an answer for the second. Observed agreement and the number of items stay as they are. With "
    "two sources, answers count as they are."
)
RULE_NAMES = {
    "majority": pgettext_lazy("a rule of the report", "Majority"),
    "ties": pgettext_lazy("a rule of the report", "Ties"),
    "unsure": pgettext_lazy("a rule of the report", "Unsure majority"),
    "exclusions": pgettext_lazy("a rule of the report", "Exclusions"),
    "resampling": pgettext_lazy("a rule of the report", "Resampling"),
    "new_annotators": pgettext_lazy("a rule of the report", "New annotators"),
    "comparisons": pgettext_lazy("a rule of the report", "Comparisons"),
    "counted": pgettext_lazy("a rule of the report", "Counted answers"),
    "batches": pgettext_lazy("a rule of the report", "Batches"),
    "agreement": pgettext_lazy("a rule of the report", "Agreement"),
    "unequal_raters": pgettext_lazy("a rule of the report", "Unequal numbers of votes"),
    "strong": pgettext_lazy("a rule of the report", "Items nobody was unsure about"),
    "pairings": pgettext_lazy("a rule of the report", "Comparisons of pairs"),
    "drawn_sides": pgettext_lazy("a rule of the report", "Sides that were drawn"),
    "side_shares": pgettext_lazy("a rule of the report", "Share of the left side"),
    "file_sides": pgettext_lazy("a rule of the report", "Sides in imported files"),
    "imported_sides": pgettext_lazy("a rule of the report", "Sides of imported preferences"),
    "several_pairs": pgettext_lazy("a rule of the report", "Answers about several pairs"),
    "both_orders": pgettext_lazy("a rule of the report", "Agreement on several pairs"),
    "rankings": pgettext_lazy("a rule of the report", "Rankings"),
    "rank_intervals": pgettext_lazy("a rule of the report", "Intervals of rankings"),
    "behaviours": pgettext_lazy("a rule of the report", "Behaviours"),
    "overlaps": pgettext_lazy("a rule of the report", "Overlap of marked turns"),
    "pairs": pgettext_lazy("a rule of the report", "Pairs"),
    "weighted": pgettext_lazy("a rule of the report", "Weighted kappa"),
    "weighted_intervals": pgettext_lazy("a rule of the report", "Intervals of weighted kappa"),
    "words": pgettext_lazy("a rule of the report", "Verbal scale"),
    "votes": pgettext_lazy("a rule of the report", "Votes"),
    "final_labels": pgettext_lazy("a rule of the report", "Final labels"),
    "predictions": pgettext_lazy("a rule of the report", "Predictions"),
    "errors": pgettext_lazy("a rule of the report", "Errors"),
    "negatives": pgettext_lazy("a rule of the report", "Negative answers"),
    "feedback": pgettext_lazy("a rule of the report", "Feedback"),
}


def rules_of(
    study: Study,
    pairings: Mapping[int, Mapping[str, int]],
    *,
    is_told: bool,
    unit: Unit,
) -> dict[str, str]:
    """Return the rules to print under the tables, so that a reader can compute the same numbers.

    `pairings` has for each criterion what its cells store of comparisons. `is_told`: annotators were told during the
    work how they agree. `unit` is what intervals and tests take as independent.
    """
    rule = Rule(study.majority_rule)
    unsure = UNSURE_LEFT_OUT if rule == Rule.DECIDED else UNSURE
    feedback = {"feedback": FEEDBACK} if is_told else {}
    words = WORDS[WordScale(study.word_scale)]
    spec = spec_of(study.protocol_version)
    asked = _asked_rules(spec, unit)
    return {
        "majority": majority_rule(rule, spec),
        "unsure": unsure,
        **SENTENCES,
        "resampling": RESAMPLING[unit],
        "weighted_intervals": WEIGHTED_INTERVALS[unit],
        "comparisons": COMPARISONS[unit == Unit.DIALOGUE],
        **asked,
        **({"several_pairs": SEVERAL_PAIRS} if has_several_pairs(pairings) else {}),
        **({"both_orders": BOTH_ORDERS} if any(compares_several([each]) for each in pairings.values()) else {}),
        **_side_rules(study, pairings),
        "words": words,
        **feedback,
    }


def _asked_rules(spec: VersionSpec, unit: Unit) -> dict[str, str]:
    """Return the rules of questions that only some protocols ask."""
    kinds = {each.kind for each in spec.criteria}
    compared = {}
    if ProtocolVersion.Unit.COMPARISON in spec.units:
        intervals = RANK_INTERVALS[unit]
        compared = {"pairings": PAIRINGS, "rankings": RANKINGS, "rank_intervals": intervals}
    ticked = {"behaviours": BEHAVIOURS} if Criterion.Kind.MULTIPLE in kinds else {}
    return compared | ticked | ({"overlaps": OVERLAPS} if Criterion.Kind.TURNS in kinds else {})


def _side_rules(study: Study, pairings: Mapping[int, Mapping[str, int]]) -> dict[str, str]:
    """Return the rules of sides that are known, which Parley drew or a file says, and of those that are not."""
    known = are_sides_known(pairings)
    sided = Rating.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, is_swapped__isnull=False)
    kinds = set(sided.values_list("assignment__is_imported", flat=True).distinct()) if True in known else set()
    return {
        **({"drawn_sides": DRAWN_SIDES} if False in kinds else {}),
        **({"file_sides": FILE_SIDES} if True in kinds else {}),
        **({"side_shares": SIDE_SHARES} if True in known else {}),
        **({"imported_sides": IMPORTED_SIDES} if False in known else {}),
    }


def majority_rule(rule: str, spec: VersionSpec) -> str:
    """Return the rule in English. Several positive options of a question count as one."""
    is_together = any(len(places_of(each, Option.Role.POSITIVE)) > 1 for each in spec.voted)
    return (MAJORITY_TOGETHER if is_together else MAJORITY)[Rule(rule)]


def rules_in_words(rules: Mapping[str, str]) -> dict[str, str]:
    return {name: _(sentence) for name, sentence in rules.items()}
