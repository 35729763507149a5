"""The terms of comparisons and rankings."""

from django.utils.translation import gettext_noop

from reporting.report.terms.term import FOR_NEW, Term

RANKING = "Ranking by comparisons"
PAIRS = "Comparisons of pairs"
TERMS = (
    Term(
        "strength",
        gettext_noop("Strength, log scale"),
        (
            gettext_noop("How well a source does in comparisons, estimated from all pairs together. The mean is 0."),
            gettext_noop(
                "A source that is stronger by 1 has 2.7 times the odds of being preferred, by 2.3 ten times. Strengths "
                "of other models cannot be compared with it."
            ),
            FOR_NEW,
        ),
        RANKING,
    ),
    Term(
        "elo",
        gettext_noop("Strength, Elo scale"),
        (
            gettext_noop("The strength on the scale that chess uses: 400 points more are ten times the odds."),
            gettext_noop("Only differences of sources count. The mean is 0."),
        ),
        RANKING,
    ),
    Term(
        "win_rate",
        gettext_noop("Expected win rate"),
        (
            gettext_noop("How often the source is preferred to another one, on average. A tie counts half."),
            gettext_noop("50 per cent is average."),
            FOR_NEW,
        ),
        RANKING,
    ),
    Term(
        "pair_win_rate",
        gettext_noop("Expected win rate of the row against the column"),
        (
            gettext_noop("How often the source of the row is preferred to that of the column. A tie counts half."),
            gettext_noop("Above 50 per cent, the row is ahead. An interval that holds 50 per cent shows no winner."),
            gettext_noop(
                "Intervals are not corrected for the number of pairs. The pairs that differ all at once are listed "
                "below the table."
            ),
            FOR_NEW,
        ),
        RANKING,
    ),
    Term(
        "rank",
        gettext_noop("Rank"),
        (
            gettext_noop("The places that the source may have, where 1 is the best."),
            gettext_noop(
                "“1 to 3” means that at most two sources may be ahead. All ranks of the table hold together with 95 "
                "per cent confidence, for other annotators and other dialogues of the same kind."
            ),
        ),
        RANKING,
    ),
    Term(
        "equal_length",
        gettext_noop("Strength at equal length"),
        (
            gettext_noop("The strength that remains if both texts of a pair are equally long."),
            gettext_noop(
                "If it is much nearer to 0 than the strength, annotators may have preferred long or short texts."
            ),
            FOR_NEW,
        ),
        RANKING,
    ),
    Term(
        "preference_model",
        gettext_noop("Model of preferences"),
        (
            gettext_noop("One strength for each source explains how often it wins. With ties it is Davidson's model."),
            gettext_noop("Answers that call both bad are not ties. They are left out and counted."),
        ),
        RANKING,
    ),
    Term(
        "side_bias",
        gettext_noop("Side"),
        (
            gettext_noop("How often the left one of two equal sources is preferred."),
            gettext_noop("50 per cent is no bias. Where sides are known, the strengths are free of it."),
            gettext_noop(
                "Where they are not known, the model assumes that neither side is preferred: the strengths contain any "
                "bias."
            ),
        ),
        RANKING,
    ),
    Term(
        "ties",
        gettext_noop("Ties: ν"),
        (
            gettext_noop("How likely annotators call two equal sources equal."),
            gettext_noop("At 1, a tie is as likely as a preference for either one; at 0, there are no ties."),
        ),
        RANKING,
    ),
    Term(
        "length",
        gettext_noop("Length"),
        (
            gettext_noop("How much the odds of a preference change if a text is twice as long, as a logarithm."),
            gettext_noop("0.69 means twice the odds, 0 no effect, and a negative number that short texts win."),
        ),
        RANKING,
    ),
    Term(
        "transitivity",
        gettext_noop("Transitivity"),
        (
            gettext_noop(
                "If A beats B and B beats C, A should beat C. This tests whether strengths explain all pairs."
            ),
            gettext_noop("If p is small, read the table of pairs and not the ranks."),
        ),
        RANKING,
    ),
    Term(
        "left_share",
        gettext_noop("Share of the left side"),
        (
            gettext_noop("Preferences for the response on the left, of all preferences for a side."),
            gettext_noop(
                "Near 50 per cent, there is no bias. The interval takes answers as independent, so it is too narrow."
            ),
        ),
        PAIRS,
    ),
    Term(
        "repeated",
        gettext_noop("Pairs shown again"),
        (
            gettext_noop("How often one annotator gives the same answer to the same pair with the sides swapped."),
            gettext_noop("The same side instead means that the side was chosen, not the response."),
        ),
        PAIRS,
    ),
    Term(
        "both_bad",
        gettext_noop("Both bad"),
        (
            gettext_noop(
                "Answers that call both sources bad, and their share of the pair's answers. They are not ties."
            ),
        ),
        PAIRS,
    ),
)
