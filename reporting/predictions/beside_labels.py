"""What a metric beside people is said to be in words: reasons, notes and names. Downloads have them in English."""

from django.utils.translation import gettext_noop

from measures.estimate import NO_SPREAD, NO_STANDARD_ERROR, NO_VARIATION, TOO_FEW_ITEMS
from measures.intervals import RARE_ANSWERS, UNRELIABLE
from measures.machines.alternative import SMALL_SAMPLE, T_TEST, TOO_FEW_ANNOTATORS, WILCOXON
from measures.machines.ceiling import ONE_OTHER, REST
from measures.machines.corrected import CLIPPED, NOT_BINARY, NOT_TOLD_FROM_CHANCE, WEAK_JUDGE
from measures.machines.powered import JUDGE_IS_THE_LIMIT, NO_JUDGE, NO_LABELS, TOO_FEW_JUDGED
from measures.machines.systems import TOO_FEW_SOURCES
from reporting.predictions.beside import NOT_ANSWERS, Verdict
from reporting.predictions.table import NO_NUMBERS

ANSWERS = {
    Verdict.YES: gettext_noop("Yes."),
    Verdict.NO: gettext_noop("No."),
    Verdict.UNKNOWN: gettext_noop("Not known."),
}
NOT_KNOWN = {
    NOT_ANSWERS: gettext_noop(
        "Its scores are not answers to this question. The test needs labels, or numbers on the scale of the question."
    ),
    TOO_FEW_ANNOTATORS: gettext_noop(
        "No item has both its answer and the answers of three annotators. The test compares it with one annotator, "
        "and needs two others to compare them with."
    ),
    TOO_FEW_ITEMS: gettext_noop("No annotator has rated 10 items that two others have rated too."),
    SMALL_SAMPLE: gettext_noop(
        "It passes the test, but an annotator has fewer than 30 items. The test is then too easy to pass. "
        "Collect more ratings."
    ),
    NO_VARIATION: gettext_noop("People gave the same answer to every item, and so did it. Nothing can be told apart."),
}
CONSTANT_ANSWER = gettext_noop(
    "It gives the same answer to every item that people rated, so it tells nothing about an item."
)
CHANCE_AGREEMENT = gettext_noop(
    "It passes the test, but it may agree with people by chance only: %(measure)s with one other answer is %(value)s. "
    "It gives the same answer to %(same)s of the %(items)s items that people rated, and the test cannot tell it from a "
    "metric that always gives this answer."
)
LOPSIDED = gettext_noop(
    "Caution: %(same)s of people's %(all)s answers are the same, so the test says little about the other %(rare)s. "
    "It matches %(matched)s of these %(rare)s."
)
SHIFTED = gettext_noop("Its own scores are shifted: use the corrected scores.")
NO_SCORES = gettext_noop("The options of this question have no numbers, and none of them is positive.")
UNDEFINED = {
    NO_VARIATION: gettext_noop("one side gave one answer only"),
    TOO_FEW_ITEMS: gettext_noop("too few items with enough ratings"),
    NO_LABELS: gettext_noop("people rated none of these items"),
    NO_JUDGE: gettext_noop("it answered none of these items"),
    NOT_BINARY: gettext_noop("its answers are not all 0 or 1"),
    WEAK_JUDGE: gettext_noop("sensitivity and specificity add up to 1 or less, as by chance"),
    TOO_FEW_SOURCES: gettext_noop("fewer than two sources have both"),
    NO_NUMBERS: gettext_noop("the answers have no numbers"),
}
NO_INTERVAL = {
    TOO_FEW_ITEMS: gettext_noop("no interval: fewer than 10 dialogues"),
    UNRELIABLE: gettext_noop("rough interval: fewer than 20 dialogues"),
    NOT_TOLD_FROM_CHANCE: gettext_noop("no interval: it may be no better than chance"),
    NO_SPREAD: gettext_noop("no interval: all or nearly all resamples give the same value"),
    NO_STANDARD_ERROR: gettext_noop("no interval: undefined without one of the dialogues"),
    RARE_ANSWERS: gettext_noop("no interval: rare answers"),
    CLIPPED: gettext_noop("outside of 0 to 1, so put at the end"),
}
NO_FURTHER = {
    JUDGE_IS_THE_LIMIT: gettext_noop(
        "More ratings cannot halve the interval: the metric's part alone is too wide. Let it answer more items."
    ),
    TOO_FEW_JUDGED: gettext_noop(
        "More ratings of the items that it answered cannot halve the interval. Make main batches of further "
        "items, and let it answer them: they need no ratings for this."
    ),
    NO_LABELS: gettext_noop("Not known: people have rated none of the items that it answered."),
    TOO_FEW_ITEMS: gettext_noop("Not known: people need to rate items of at least 10 dialogues first."),
    NO_SPREAD: gettext_noop("Not known: the mean is the same whichever dialogue is left out."),
}
MEASURES = {
    "accuracy": gettext_noop("Accuracy"),
    "kappa": gettext_noop("Cohen's kappa"),
    "rmse": gettext_noop("Root mean square error"),
    "pearson": gettext_noop("Pearson"),
}
AGAINST = {ONE_OTHER: gettext_noop("one other answer"), REST: gettext_noop("the rest of the answers")}
TESTS = {T_TEST: gettext_noop("t test"), WILCOXON: gettext_noop("Wilcoxon's test")}
