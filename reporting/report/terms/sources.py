"""The terms of means, differences and variances by the mixed model, and of behaviours."""

from django.utils.translation import gettext_noop

from reporting.report.terms.term import FOR_NEW, Term

MODEL = "Sources in any design: the mixed model"
COMPARISON = "Comparison of sources"
BEHAVIOURS = "Behaviours"
TERMS = (
    Term(
        "mean",
        gettext_noop("Mean"),
        (
            gettext_noop(
                "The mean score of a source, estimated by a mixed model from all ratings; where there is no model, the "
                "plain mean. The scale of each question "
                "is named below the table."
            ),
            gettext_noop(
                "Compare sources that answer the same question. A mean of 0.70 on a yes/no question is 70 per cent."
            ),
            FOR_NEW,
        ),
        MODEL,
    ),
    Term(
        "mean_interval",
        gettext_noop("Interval"),
        (
            gettext_noop("If the study were repeated many times, 95 of 100 such intervals would hold the true value."),
            gettext_noop("A wide interval means that little is known. Where intervals overlap, sources can differ."),
            gettext_noop(
                "“Few data” means fewer than 3 annotators or 10 dialogues (or conversations): the interval is shown, "
                "but is rough. It says nothing about agreement."
            ),
            FOR_NEW,
        ),
        MODEL,
    ),
    Term(
        "letters",
        gettext_noop("Letters"),
        (
            gettext_noop("Two sources that share no letter differ significantly: p is at most .05 after Holm."),
            gettext_noop("Sources that share a letter have not been shown to differ, nor to be equal."),
            FOR_NEW,
        ),
        COMPARISON,
    ),
    Term(
        "n",
        "n",
        (
            gettext_noop(
                "The number of answers behind the value: of the source, of both sources of a difference, or of the "
                "whole question."
            ),
            gettext_noop("It counts answers, not items: three annotators of ten items give 30."),
        ),
        MODEL,
    ),
    Term(
        "difference",
        gettext_noop("Difference"),
        (
            gettext_noop("The mean of the first source minus the mean of the second, with its 95 per cent interval."),
            gettext_noop("Above 0, the first source has the higher mean. “p, Holm” says whether they differ."),
            FOR_NEW,
        ),
        MODEL,
    ),
    Term(
        "p",
        "p",
        (
            gettext_noop("How likely a difference at least this large is if the sources do not differ."),
            gettext_noop("A small p says that chance is a poor explanation, not that the difference is large."),
            gettext_noop("If there are several comparisons, use “p, Holm”: this p is not corrected for them."),
        ),
        MODEL,
    ),
    Term(
        "p_holm",
        gettext_noop("p, Holm"),
        (
            gettext_noop(
                "p, corrected by Holm's method for the pairs of sources of one question or behaviour: the more pairs "
                "you test, the more small p values come by chance."
            ),
            gettext_noop("At .05 or less it is bold, and the sources differ significantly."),
            FOR_NEW,
        ),
        MODEL,
    ),
    Term(
        "odds_ratio",
        gettext_noop("Odds ratio"),
        (
            gettext_noop(
                "How many times as high the odds of a positive answer are for the first source as for the second, for "
                "the same annotator and dialogue (or conversation). Odds of 3 mean 3 positive answers to 1 other."
            ),
            gettext_noop(
                "1 means no difference. Above 1, the first source has the higher share. An interval without 1 shows a "
                "difference, if you look at this pair only."
            ),
            gettext_noop("It is not how many times as many positive answers there are: for that, divide two shares."),
            FOR_NEW,
        ),
        "Odds ratios",
    ),
    Term(
        "effect",
        gettext_noop("Effect size"),
        (
            gettext_noop("The difference, in standard deviations of one rating."),
            gettext_noop("It makes different scales comparable. Many call 0.2 small, 0.5 medium and 0.8 large."),
        ),
        MODEL,
    ),
    Term(
        "annotators_of_both",
        gettext_noop("Annotators of both"),
        (
            gettext_noop("How many annotators rated both sources, and how many rated each of them."),
            gettext_noop(
                "With few in common, a difference between the sources can be one between annotators. The interval "
                "allows for this by how much annotators differ, which few of them hardly tell."
            ),
        ),
        COMPARISON,
    ),
    Term(
        "df",
        gettext_noop("Degrees of freedom"),
        (
            gettext_noop(
                "How much is known about the uncertainty of the difference, by Satterthwaite's approximation. More "
                "annotators and dialogues give more degrees of freedom."
            ),
            gettext_noop("With few of them, intervals are wide. Papers print them with p."),
            gettext_noop(
                "Equal designs can have 2.3 and 15: a variance that is estimated as 0 is taken as known, so annotators "
                "or dialogues with such a variance take no degrees of freedom."
            ),
        ),
        MODEL,
    ),
    Term(
        "equivalence",
        gettext_noop("Equivalence within the margin"),
        (
            gettext_noop(
                "p of two one-sided t tests, after Holm: is the true difference within the study's margin? The methods "
                "say what is known of when it was named."
            ),
            gettext_noop(
                "At .05 or less, the sources are equivalent. A larger p shows neither equality nor difference."
            ),
            FOR_NEW,
        ),
        COMPARISON,
    ),
    Term(
        "check",
        gettext_noop("Check"),
        (
            gettext_noop(
                "The difference of plain means, where each rating counts the same. The interval is clustered by "
                "annotator and conversation."
            ),
            gettext_noop(
                "If it contradicts the difference, a few annotators or conversations have many of the ratings."
            ),
            FOR_NEW,
        ),
        MODEL,
    ),
    Term(
        "effects",
        gettext_noop("Parts of the variance"),
        (
            gettext_noop(
                "Standard deviations on the scale of the question. Annotator: some are stricter than others. Annotator "
                "× source: they like different sources. Dialogue or conversation: some are harder. Residual: the rest."
            ),
            gettext_noop(
                "Large effects of annotators call for more annotators, those of dialogues for more dialogues."
            ),
        ),
        MODEL,
    ),
    Term(
        "rate",
        gettext_noop("Rate"),
        (
            gettext_noop("The share of answers that tick the behaviour, from 0 to 1, estimated by a mixed model."),
            gettext_noop("0.30 means that 30 of 100 answers tick it."),
            FOR_NEW,
        ),
        BEHAVIOURS,
    ),
    Term(
        "conversations_rate",
        gettext_noop("Rate of the conversations"),
        (
            gettext_noop("The share of conversations in which an annotator ticks the behaviour at least once."),
            gettext_noop("Long conversations raise it: there are more chances to tick."),
            FOR_NEW,
        ),
        BEHAVIOURS,
    ),
    Term(
        "positive_agreement",
        gettext_noop("Positive agreement"),
        (
            gettext_noop(
                "If one annotator ticks the behaviour, how often another annotator of the item ticks it, too."
            ),
            gettext_noop("1 is perfect. It is not corrected for chance: a frequent behaviour has a high value anyway."),
        ),
        BEHAVIOURS,
    ),
    Term(
        "jaccard",
        gettext_noop("Mean overlap (Jaccard)"),
        (
            gettext_noop(
                "Turns that two annotators both marked, divided by turns that either marked; mean of all pairs."
            ),
            gettext_noop("1 means that they marked the same turns, 0 that they have none in common."),
            gettext_noop("Pairs of which neither marked a turn are left out and counted."),
        ),
        BEHAVIOURS,
    ),
)
