"""Warn about what is allowed in a bundle but often a mistake. A version with warnings can be published."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from django.utils.translation import gettext as _

from protocols.bundles import Bundle
from protocols.models import Criterion, Option, ProtocolVersion

MOST_DIGITS = 9  # the keys 1 to 9
NUMBER_SCALES = (set(range(1, 11)), set(range(11)), set(range(101)))  # familiar, and a long one is not answered by keys
OUTSIDE = (Option.Role.UNSURE, Option.Role.EXCLUDING)
# English, Italian and Chinese. Every text is searched for all: none is a word of another of these languages.
LEADING = (
    "don't you agree", "do you agree that", "isn't it", "isn't this", "doesn't it", "wouldn't you", "obviously",
    "of course", "surely", "how good", "how bad", "how much better",
    "non è vero", "non credi", "non pensi", "non ti sembra", "sei d'accordo che", "ovviamente", "sicuramente",
    "quanto è buono", "quanto è buona", "quanto è brutto", "quanto è brutta",
    "难道", "显然", "当然", "毫无疑问", "您同意", "你同意", "有多好", "有多差",
)  # fmt: skip
# What “I don't know” may be called. The editor reads it too, as an expression of JavaScript.
UNSURE = "|".join((
    r"\bunsure", r"\bnot sure", r"n't know", r"not know", r"n't tell", r"not tell", r"hard to (?:tell|say)", r"n't say",
    r"not say", r"n't judge", r"not judge", r"not decide", r"n't decide", r"\bundecided", r"\bunclear", r"no opinion",
    r"\bn/a\b", r"not applicable", r"does not apply",
    r"non so", r"non saprei", r"non sono sicur", r"\bincert", r"\bindecis", r"non applicabil", r"non giudic",
    r"non posso", r"不知", r"不确定", r"不清楚", r"无法", r"难以", r"不适用", r"说不",
    r"wei(?:ß|ss) (?:es |ich )?nicht", r"unsicher", r"nicht sicher", r"sais pas", r"pas sûr", r"no sé",
))  # fmt: skip
# What the sides of a comparison are called, in English, Italian and Chinese.
SIDES_ARE_RESPONSES = r"\bresponse\b|\brisposta\b|回复|回答"
SIDES_ARE_DIALOGUES = r"\bdialog(?:ue)?\b|\bdialogo\b|对话"
ASCII_APOSTROPHE = str.maketrans("’ʼ", "''")
TEXTS = (
    "name", "summary", "context_title", "item_title", "welcome", "changes", "notices", "guidelines_short", "guidelines",
)  # fmt: skip
CRITERION_TEXTS = ("name", "short", "question", "definition")
OPTION_TEXTS = ("label", "definition", "conditions")
NOTHING: Bundle = {}


@dataclass(frozen=True, slots=True)
class Warning_:  # noqa: N801 - Warning is Python's own
    """`sentence` says what was found at `path`, `advice` what to do about it."""

    path: str
    code: str
    sentence: str
    advice: str

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence} {self.advice}"


def lint(doc: Bundle) -> list[Warning_]:
    """Return all warnings about a complete bundle."""
    numbered = [(f"criteria[{number}]", criterion) for number, criterion in enumerate(doc["criteria"])]
    of_criteria = (check(path, criterion) for path, criterion in numbered for check in CRITERION_CHECKS)
    return list(
        chain(
            _guidelines(doc),
            *of_criteria,
            _copied_anchors(numbered),
            _leading(doc),
            _other_sides(doc),
            _translations(doc),
        )
    )


def _guidelines(doc: Bundle) -> Iterator[Warning_]:
    missing = {
        "guidelines_short": _("There are no short guidelines."),
        "guidelines": _("There are no full guidelines."),
    }
    for name, sentence in missing.items():
        if not doc[name]:
            advice = _("Say how to decide, so that annotators do not make up their own rules.")
            yield Warning_(name, "no_guidelines", sentence, advice)


# --- one criterion -----------------------------------------------------------------------------------
def _is_choice(criterion: Bundle) -> bool:
    return bool(criterion["kind"] == Criterion.Kind.SINGLE)


def _no_unsure(path: str, criterion: Bundle) -> Iterator[Warning_]:
    roles = [option["role"] for option in criterion["options"]]
    if not _is_choice(criterion) or criterion["scale"] != Criterion.Scale.NOMINAL or len(roles) > 3:
        return
    if Option.Role.UNSURE not in roles and Option.Role.EQUAL not in roles:
        advice = _("Add one that has the role “unsure”, or annotators who cannot tell will guess.")
        yield Warning_(f"{path}.options", "no_unsure", _("There is no option for annotators who cannot tell."), advice)


def _same_texts(path: str, criterion: Bundle) -> Iterator[Warning_]:
    seen: dict[str, str] = {}
    for place, number, text in _anchors(path, criterion["options"]):
        first = seen.setdefault(text, number)
        if first != number:
            sentence = _("Another option of this criterion has the same text.")
            yield Warning_(place, "same_text", sentence, _("Say how the options differ."))


def _too_many(path: str, criterion: Bundle) -> Iterator[Warning_]:
    n = len(criterion["options"])
    values = {option["value"] for option in criterion["options"] if option["role"] not in OUTSIDE}
    if _is_choice(criterion) and n > MOST_DIGITS and values not in NUMBER_SCALES:
        sentence = _("%(n)s options are too many for the number keys of a keyboard.") % {"n": n}
        yield Warning_(f"{path}.options", "too_many_options", sentence, _("Split the question, or merge options."))


def _no_example(path: str, criterion: Bundle) -> Iterator[Warning_]:
    """Skip other kinds: nobody gives the answer to a computed criterion, and no example can show marked turns."""
    if criterion["kind"] in (Criterion.Kind.SINGLE, Criterion.Kind.MULTIPLE) and not criterion["examples"]:
        advice = _("Add one: examples are what annotators remember.")
        yield Warning_(f"{path}.examples", "no_example", _("There is no example."), advice)


def _unbalanced(path: str, criterion: Bundle) -> Iterator[Warning_]:
    roles = [option["role"] for option in criterion["options"]]
    n_good, n_bad = roles.count(Option.Role.POSITIVE), roles.count(Option.Role.NEGATIVE)
    if _is_choice(criterion) and n_good > n_bad:
        sentence = _("There are more positive options than negative ones (%(good)s, %(bad)s).")
        advice = _("Offer the same number of each, or results will lean one way.")
        yield Warning_(f"{path}.options", "unbalanced", sentence % {"good": n_good, "bad": n_bad}, advice)


def _unsure_by_chance(path: str, criterion: Bundle) -> Iterator[Warning_]:
    """Find an answer that counts as “I don't know” though it is called otherwise: a ready-made one was renamed."""
    for number, option in enumerate(criterion["options"]):
        if option["role"] != Option.Role.UNSURE or re.search(UNSURE, _plain(option["label"])):
            continue
        if criterion["kind"] == Criterion.Kind.MULTIPLE or option["key"] == Option.Role.UNSURE:
            sentence = _("“%(label)s” counts as unsure: that the annotator cannot tell.") % {"label": option["label"]}
            advice = _("Choose another role, unless this is meant. Give it a key of its own too.")
            yield Warning_(f"{path}.options[{number}].role", "unsure_by_chance", sentence, advice)


CRITERION_CHECKS: tuple[Callable[[str, Bundle], Iterator[Warning_]], ...] = (
    _no_unsure, _unsure_by_chance, _same_texts, _too_many, _no_example, _unbalanced,
)  # fmt: skip


# --- comparisons -----------------------------------------------------------------------------------
def _other_sides(doc: Bundle) -> Iterator[Warning_]:
    """Find sides that are called responses where whole dialogues are compared, or the other way round."""
    are_whole = doc["granularity"] == ProtocolVersion.Granularity.DIALOGUE
    other = SIDES_ARE_RESPONSES if are_whole else SIDES_ARE_DIALOGUES
    sentence = _("“%(label)s” names a response, but this protocol judges dialogues.")
    if not are_whole:
        sentence = _("“%(label)s” names a dialogue, but this protocol judges turns.")
    advice = _("Rename the answer, or set `granularity` to what is compared.")
    for number, criterion in enumerate(doc["criteria"]):
        for at, option in enumerate(criterion["options"]):
            if option["role"] in (Option.Role.LEFT, Option.Role.RIGHT) and re.search(other, _plain(option["label"])):
                path = f"criteria[{number}].options[{at}].label"
                yield Warning_(path, "other_sides", sentence % {"label": option["label"]}, advice)


# --- across criteria ---------------------------------------------------------------------------------
def _copied_anchors(criteria: Iterable[tuple[str, Bundle]]) -> Iterator[Warning_]:
    """Compare the options of different criteria, except “I don't know”, which may be explained alike everywhere.

    Criteria whose options are all the same share a scale: it is meant to say the same for each of them.
    """
    seen: dict[str, str] = {}
    scales: list[list[Bundle]] = []
    for path, criterion in criteria:
        if criterion["options"] in scales:
            continue
        scales.append(criterion["options"])
        options = [option for option in criterion["options"] if option["role"] not in OUTSIDE]
        for place, _option, text in _anchors(path, options):
            first = seen.setdefault(text, path)
            if first != path:
                sentence = _("%(place)s has the same text.") % {"place": first}
                yield Warning_(place, "copied_anchor", sentence, _("Say what it means for this criterion."))


def _anchors(path: str, options: list[Bundle]) -> Iterator[tuple[str, str, str]]:
    """Yield (place, the option's place, text) for each text that says when an option fits."""
    for number, option in enumerate(options):
        place = f"{path}.options[{number}]"
        if option["definition"]:
            yield f"{place}.definition", place, _plain(option["definition"])
        for at, condition in enumerate(option["conditions"]):
            yield f"{place}.conditions[{at}]", place, _plain(condition)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).translate(ASCII_APOSTROPHE).casefold().split())


# --- questions in every language -----------------------------------------------------------------------
def _leading(doc: Bundle) -> Iterator[Warning_]:
    for path, question in _questions(doc):
        for words in LEADING:
            # Whole words only; Chinese has no spaces between words.
            pattern = words if ord(words[0]) > 0x2E80 else rf"\b{re.escape(words)}\b"
            if re.search(pattern, _plain(question)):
                sentence = _("The words “%(words)s” suggest an answer.") % {"words": words}
                advice = _("Phrase the question so that no answer sounds expected.")
                yield Warning_(path, "leading_question", sentence, advice)


def _questions(doc: Bundle) -> Iterator[tuple[str, str]]:
    for number, criterion in enumerate(doc["criteria"]):
        yield f"criteria[{number}].question", criterion["question"]
    for language, texts in doc["translations"].items():
        for key, part in texts.get("criteria", {}).items():
            yield f"translations.{language}.criteria.{key}.question", part.get("question", "")


# --- translations --------------------------------------------------------------------------------------
def _translations(doc: Bundle) -> Iterator[Warning_]:
    for language in doc["translations"]:
        missing, n = untranslated(doc, language)
        if missing:
            sentence = _("%(missing)s of %(n)s texts are not translated.") % {"missing": missing, "n": n}
            advice = _("Annotators see them in the main language.")
            yield Warning_(f"translations.{language}", "untranslated", sentence, advice)


def untranslated(doc: Bundle, language: str) -> tuple[int, int]:
    """Return (texts that a language lacks, all texts) of a complete bundle; the main language lacks none."""
    found = list(_is_translated(doc, doc["translations"].get(language, {})))
    return found.count(False) if language in doc["translations"] else 0, len(found)


def _is_translated(doc: Bundle, texts: Bundle) -> Iterator[bool]:
    """Yield for each text of the document whether it is translated."""
    yield from _has(doc, texts, TEXTS)
    for criterion in doc["criteria"]:
        own = texts.get("criteria", {}).get(criterion["key"], {})
        yield from _has(criterion, own, CRITERION_TEXTS)
        for option in criterion["options"]:
            mine = own.get("options", {}).get(option["key"], {})
            yield from _has(option, mine, OPTION_TEXTS)
            yield from (each["key"] in mine.get("explanations", {}) for each in option["explanations"])
        for example, mine in zip_longest(criterion["examples"], own.get("examples", ()), fillvalue=NOTHING):
            yield from _has(example, mine, ("title", "why"))
            for name, wanted in (("history", ("text",)), ("candidates", ("text", "why"))):
                for part, told in zip_longest(example[name], mine.get(name, ()), fillvalue=NOTHING):
                    yield from _has(part, told, wanted)


def _has(original: Bundle, texts: Bundle, names: Iterable[str]) -> Iterator[bool]:
    return (bool(texts.get(name)) for name in names if original[name])
