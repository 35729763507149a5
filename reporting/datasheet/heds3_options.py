"""The options of the questions of HEDS 3.0, in our own words. Their order is that of the authors' form."""

from django.utils.translation import gettext_noop

from reporting.datasheet.question import Option


def _options(*texts: str, are_open: tuple[int, ...] = ()) -> tuple[Option, ...]:
    return tuple(Option(number, text, number in are_open) for number, text in enumerate(texts, start=1))


EXPLAIN = gettext_noop("does not apply (say why)")
OTHER = gettext_noop("other (describe it)")
YES_NO = _options(gettext_noop("yes"), gettext_noop("no"), EXPLAIN, are_open=(3,))
TEXTS = (
    gettext_noop("raw or structured data"),
    gettext_noop("deep linguistic representation"),
    gettext_noop("shallow linguistic representation"),
    gettext_noop("text: less than a sentence"),
    gettext_noop("text: a sentence"),
    gettext_noop("text: several sentences"),
    gettext_noop("text: a document"),
    gettext_noop("text: a dialogue"),
    gettext_noop("text: other (describe it)"),
    gettext_noop("speech"),
    gettext_noop("pictures or video"),
    gettext_noop("several modalities"),
)
INPUTS = _options(
    *TEXTS, gettext_noop("a control feature"), gettext_noop("no input (explain)"), OTHER, are_open=(9, 14, 15)
)
OUTPUTS = _options(*TEXTS, gettext_noop("no output (explain)"), OTHER, are_open=(9, 13, 14))
TASKS = _options(
    gettext_noop("content selection"),
    gettext_noop("content ordering"),
    gettext_noop("aggregation"),
    gettext_noop("referring expression generation"),
    gettext_noop("lexicalisation"),
    gettext_noop("deep generation"),
    gettext_noop("surface realisation"),
    gettext_noop("feature-controlled text generation"),
    gettext_noop("data-to-text generation"),
    gettext_noop("dialogue turn generation"),
    gettext_noop("question generation"),
    gettext_noop("question answering"),
    gettext_noop("paraphrasing or lossless simplification"),
    gettext_noop("compression or lossy simplification"),
    gettext_noop("machine translation"),
    gettext_noop("summarisation"),
    gettext_noop("end-to-end text generation"),
    gettext_noop("description of pictures or video"),
    gettext_noop("post-editing or correction"),
    OTHER,
    are_open=(20,),
)
SELECTIONS = _options(
    gettext_noop("automatically, at random"),
    gettext_noop("automatically, at random within strata"),
    gettext_noop("automatically, not at random"),
    gettext_noop("by hand, arbitrarily"),
    gettext_noop("by hand, for balance or variety"),
    OTHER,
    are_open=(6,),
)
PAYMENTS = _options(
    gettext_noop("paid in money"),
    gettext_noop("paid in another way, such as course credits"),
    gettext_noop("not paid"),
    EXPLAIN,
    are_open=(4,),
)
QUALITY = _options(
    gettext_noop("only native speakers"),
    gettext_noop("automatic checks of quality"),
    gettext_noop("checks of quality by hand"),
    gettext_noop("evaluators who fail checks are excluded"),
    gettext_noop("answers that fail checks are excluded"),
    OTHER,
    gettext_noop("none"),
    are_open=(6, 7),
)
PACES = _options(
    gettext_noop("at a set time"),
    gettext_noop("each judgement within a set time"),
    gettext_noop("the whole evaluation within a set time"),
    gettext_noop("the whole evaluation in one sitting"),
    gettext_noop("none of these (describe it)"),
    are_open=(5,),
)
FEEDBACK = _options(
    gettext_noop("they can ask questions during the evaluation"),
    gettext_noop("they are told that they can ask questions"),
    gettext_noop("they give feedback afterwards"),
    OTHER,
    gettext_noop("none of these"),
    are_open=(4,),
)
CONDITIONS = _options(
    gettext_noop("at a place of their choice"),
    gettext_noop("in a laboratory, under the same conditions"),
    gettext_noop("in a laboratory, under different conditions"),
    gettext_noop("in real life, under the same conditions"),
    gettext_noop("in real life, under different conditions"),
    gettext_noop("in a situation like real life, under the same conditions"),
    gettext_noop("in a situation like real life, under different conditions"),
    OTHER,
    are_open=(8,),
)
INSTRUMENTS = _options(
    gettext_noop("multiple-choice options"),
    gettext_noop("check-boxes"),
    gettext_noop("slider"),
    gettext_noop("no rating instrument"),
    OTHER,
    are_open=(5,),
)
RESPONSES = _options(
    gettext_noop("agreement with a statement"),
    gettext_noop("direct estimation of quality"),
    gettext_noop("relative estimation of quality"),
    gettext_noop("counting in the text"),
    gettext_noop("feedback in words"),
    gettext_noop("annotation of the text"),
    gettext_noop("labelling of the output"),
    gettext_noop("measurement of interaction with the text"),
    gettext_noop("measurement of task performance"),
    gettext_noop("measurement of interaction with the system"),
    OTHER,
    are_open=(11,),
)
PERSONAL = _options(gettext_noop("no"), gettext_noop("yes (say which and how it is protected)"), are_open=(2,))

REPORTS = _options(
    gettext_noop("in a paper (give the link)"),
    gettext_noop("in an unpublished report (give the link)"),
    gettext_noop("not yet: this is for preregistration (give the link)"),
    gettext_noop("not yet, and it is not preregistered"),
    are_open=(1, 2, 3),
)
MATERIALS = _options(gettext_noop("here (give links)"), gettext_noop("nowhere: none are shared"), are_open=(1,))
REGISTERED = _options(gettext_noop("yes (give the link)"), gettext_noop("no"), are_open=(1,))
TYPES = _options(gettext_noop("correctness"), gettext_noop("goodness"), gettext_noop("feature"))
ASPECTS = _options(gettext_noop("form"), gettext_noop("content"), gettext_noop("both"))
FRAMES = _options(
    gettext_noop("in its own right"),
    gettext_noop("relative to the input"),
    gettext_noop("relative to something external"),
)
OBJECTIVITY = _options(gettext_noop("objective"), gettext_noop("subjective"))
MODES = _options(gettext_noop("absolute"), gettext_noop("relative"))
EFFECTS = _options(gettext_noop("intrinsic"), gettext_noop("extrinsic"))
