"""Words for the codes of a protocol, in the language of the page."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from parley.listing import both, either

STATUS = {
    "draft": pgettext_lazy("status of a protocol version", "draft"),
    "published": pgettext_lazy("status of a protocol version", "published"),
    "retired": pgettext_lazy("status of a protocol version", "retired"),
}
UNIT = {
    "response": pgettext_lazy("what is rated", "response"),
    "candidate_set": pgettext_lazy("what is rated", "candidate set"),
    "model": pgettext_lazy("what is rated", "model"),
    "dialogue": pgettext_lazy("what is rated", "dialogue"),
    "comparison": pgettext_lazy("what is rated", "comparison"),
}
OF_A_UNIT = {
    "response": pgettext_lazy("a question", "about a response"),
    "candidate_set": pgettext_lazy("a question", "about a candidate set"),
    "model": pgettext_lazy("a question", "about a model"),
    "dialogue": pgettext_lazy("a question", "about a dialogue"),
    "comparison": pgettext_lazy("a question", "about a comparison"),
}
ORDER = {
    "criterion_first": pgettext_lazy("on screen at once", "one question and one item"),
    "item_first": pgettext_lazy("on screen at once", "all questions of one item"),
    "set_level": pgettext_lazy("on screen at once", "everything that belongs to a dialogue"),
}
SCALE = {
    "nominal": pgettext_lazy("scale", "nominal"),
    "ordinal": pgettext_lazy("scale", "ordinal"),
    "interval": pgettext_lazy("scale", "interval"),
}
ROLE = {
    "positive": pgettext_lazy("role of an answer", "positive"),
    "negative": pgettext_lazy("role of an answer", "negative"),
    "neutral": pgettext_lazy("role of an answer", "neutral"),
    "unsure": pgettext_lazy("role of an answer", "unsure"),
    "excluding": pgettext_lazy("role of an answer", "excluding"),
    "left": pgettext_lazy("role of an answer", "left"),
    "right": pgettext_lazy("role of an answer", "right"),
    "equal": pgettext_lazy("role of an answer", "equal"),
    "both_bad": pgettext_lazy("role of an answer", "both bad"),
}
NONE = {  # the answer to an optional question that nothing applies, by the question's kind
    "single": gettext_lazy("No answer"),
    "multiple": gettext_lazy("None of these"),
    "turns": gettext_lazy("No turn"),
}


PARTS = {
    "criteria": pgettext_lazy("a place in a protocol", "criterion %(n)s"),
    "options": pgettext_lazy("a place in a protocol", "answer %(n)s"),
    "explanations": pgettext_lazy("a place in a protocol", "reason %(n)s"),
    "conditions": pgettext_lazy("a place in a protocol", "sentence %(n)s"),
    "examples": pgettext_lazy("a place in a protocol", "example %(n)s"),
    "history": pgettext_lazy("a place in a protocol", "turn %(n)s"),
    "candidates": pgettext_lazy("a place in a protocol", "response %(n)s"),
    "rules": pgettext_lazy("a place in a protocol", "rule %(n)s"),
}
STEP = re.compile(r"([a-z_]+)\[(\d+)\]")


def place_words(path: str) -> str:
    """Return a path in words: criteria[0].options[3].role is "criterion 1, answer 4". Empty outside of parts."""
    found = [(PARTS[name], int(number) + 1) for name, number in STEP.findall(path) if name in PARTS]
    return ", ".join(str(words) % {"n": n} for words, n in found)


def status_word(status: str) -> str:
    return word_of(STATUS, status)


def word_of(words: Mapping[str, Any], code: str) -> str:
    """Return the word for a code, or the code itself if it has none."""
    return str(words.get(code, code))


# --- conditions and rules in sentences -----------------------------------------------------------------
def alternatives(keys: Iterable[str]) -> str:
    """Return keys as HTML, joined as in "yes or unsure"."""
    return either(format_html("<code>{}</code>", key) for key in keys)


def rule_sentence(rule: Mapping[str, Any]) -> SafeString:
    """Return a rule as HTML, as in "yes if a is yes and b is no"."""
    option = format_html("<code>{}</code>", rule["option"])
    conditions = both(map(_condition, rule.get("when", ())))
    if not conditions:
        return format_html(_("{option} in all other cases"), option=option)
    return format_html(_("{option} if {conditions}"), option=option, conditions=conditions)


def _condition(condition: Mapping[str, Any]) -> SafeString:
    criterion = format_html("<code>{}</code>", condition["criterion"])
    # Translators: a condition: the answer to a criterion is one of these options.
    return format_html(_("{criterion} is {options}"), criterion=criterion, options=alternatives(condition["options"]))
