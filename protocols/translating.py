"""Translate a version into one of its languages.

A text without a translation is shown in the main language, as an Untranslated, so that a page can say so. Answers
are the same in every language: ids, codes, keys and values stay; only words change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.conf.locale import LANG_INFO

from protocols.models import Example, ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec, spec_of

Translation = Mapping[str, Any]
NONE: Translation = {}


class Untranslated(str):
    """A text in the main language of its document, although another language was asked for."""

    language: str

    def __new__(cls, text: str, language: str) -> "Untranslated":
        own = super().__new__(cls, text)
        own.language = language
        return own


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a version outside its criteria, in `language`: the main one if the one asked for is missing."""

    language: str
    context_title: str
    item_title: str
    welcome: str
    changes: str
    notices: tuple[str, ...]
    guidelines_short: str
    guidelines: str


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A worked example in one language; keys, turn numbers and evaluations are those of the main language."""

    criterion_id: int
    title: str
    history: list[dict[str, Any]]
    candidates: list[dict[str, Any]]
    rated_turn: int | None
    option: str
    why: str
    facts: tuple[str, ...] = ()


def languages_of(version: ProtocolVersion) -> tuple[str, ...]:
    """Return the ISO codes of a version's languages, the main language first."""
    return (version.language, *version.translations)


def language_name(code: str) -> str:
    """Return the name of a language in that language, or the code if Django does not know it."""
    name: str = LANG_INFO.get(code.casefold(), {}).get("name_local", code)
    return name


def texts_in(version: ProtocolVersion, language: str = "") -> Texts:
    doc = {name: getattr(version, name) for name in (*Texts.__dataclass_fields__, "translations")}
    return texts_of_document(doc, language)


def texts_of_document(doc: Mapping[str, Any], language: str = "") -> Texts:
    own = _Words(doc["translations"].get(language), doc["language"])
    names = ("context_title", "item_title", "welcome", "changes", "guidelines_short", "guidelines")
    texts = {name: own.text(name, doc[name]) for name in names}
    shown = doc["language"] if own.texts is None else language
    return Texts(language=shown, notices=own.list("notices", doc["notices"]), **texts)


def spec_in(version: ProtocolVersion, language: str = "") -> VersionSpec:
    """Return the spec in a language, or in the main language if the version lacks it."""
    if language not in version.translations:
        return spec_of(version)
    if version.status == ProtocolVersion.Status.DRAFT:
        return translated(spec_of(version), version.translations[language], version.language)
    return _frozen(version.pk, language)


@lru_cache(maxsize=256)
def _frozen(version_id: int, language: str) -> VersionSpec:
    version = ProtocolVersion.objects.get(pk=version_id)
    return translated(spec_of(version), version.translations[language], version.language)


def translated(spec: VersionSpec, texts: Translation, main: str) -> VersionSpec:
    parts = texts.get("criteria", NONE)
    criteria = tuple(_criterion(each, _Words(parts.get(each.key, NONE), main)) for each in spec.criteria)
    return replace(
        spec,
        criteria=criteria,
        by_key={each.key: each for each in criteria},
        by_id={each.id: each for each in criteria},
    )


def examples_in(version: ProtocolVersion, language: str = "") -> list[WorkedExample]:
    """Return all worked examples in the order of the criteria, translated where there is a translation."""
    own = _Words(version.translations.get(language), version.language)
    rows = Example.objects.filter(criterion__version=version).select_related("criterion")
    found = []
    for criterion, group in groupby(rows.order_by("criterion__position", "position"), attrgetter("criterion")):
        examples = list(group)
        words = own.part("criteria", criterion.key).places("examples", len(examples))
        found += [_example(*each) for each in zip(examples, words, strict=True)]
    return found


class _Words:
    """One part of a translation. `texts` is None if the main language is shown, where no text counts as missing."""

    def __init__(self, texts: Translation | None, main: str) -> None:
        self.texts, self.main = texts, main

    def text(self, name: str, original: str) -> str:
        return original if self.texts is None else self.known(name) or self.missing(original)

    def known(self, name: str) -> str:
        return str((self.texts or NONE).get(name, ""))

    def list(self, name: str, originals: Iterable[str]) -> tuple[str, ...]:
        return tuple(originals if self.texts is None else self.texts.get(name) or map(self.missing, originals))

    def missing(self, original: str) -> str:
        return Untranslated(original, self.main) if original else original

    def part(self, name: str, key: str) -> "_Words":
        return self if self.texts is None else _Words(self.texts.get(name, NONE).get(key, NONE), self.main)

    def places(self, name: str, n: int) -> Sequence["_Words"]:
        """Return the words of `n` parts without keys; a translation must have all of them, or none is used."""
        if self.texts is None:
            return [self] * n
        found = self.texts.get(name, ())
        return [_Words(texts, self.main) for texts in (found if len(found) == n else [NONE] * n)]


def _criterion(criterion: CriterionSpec, words: _Words) -> CriterionSpec:
    return replace(
        criterion,
        name=words.text("name", criterion.name),
        short=words.text("short", criterion.short),
        question=words.text("question", criterion.question),
        definition=words.text("definition", criterion.definition),
        options=tuple(_option(each, words.part("options", each.key)) for each in criterion.options),
    )


def _option(option: OptionSpec, words: _Words) -> OptionSpec:
    texts = (words.texts or NONE).get("explanations", NONE)
    return replace(
        option,
        label=words.text("label", option.label),
        definition=words.text("definition", option.definition),
        conditions=words.list("conditions", option.conditions),
        explanations=tuple(
            replace(each, text=texts.get(each.key) or words.missing(each.text)) for each in option.explanations
        ),
    )


def _example(row: Example, words: _Words) -> WorkedExample:
    return WorkedExample(
        criterion_id=row.criterion_id,
        title=words.text("title", row.title),
        history=_worded(row.history, words.places("history", len(row.history))),
        candidates=_worded(row.candidates, words.places("candidates", len(row.candidates))),
        rated_turn=row.rated_turn,
        option=row.option,
        why=words.text("why", row.why),
        facts=words.list("facts", row.facts),
    )


def _worded(entries: Iterable[dict[str, Any]], words: "Iterable[_Words]") -> list[dict[str, Any]]:
    """Return turns or candidates with their texts translated. A speaker without a translation keeps their name."""
    return [
        entry
        | {name: own.text(name, entry[name]) for name in ("text", "why") if name in entry}
        | {"speaker": own.known("speaker") or entry.get("speaker", "")}
        for entry, own in zip(entries, words, strict=True)
    ]
