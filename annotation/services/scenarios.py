"""Bring the whole dialogues of each scenario together, so that they are compared in pairs."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import ngettext

from annotation.services.cards import Card
from annotation.services.refusals import Refused, first_of

# PostgreSQL stores no such character, so no conversation has the name of a scenario.
MARK = "\x00"


def group_of(card: Card) -> str:
    """Return the name of what is dealt together: the scenario of a dialogue to compare, otherwise its conversation."""
    return MARK + card.scenario if card.is_matched else card.conversation


def is_scenario(talk: Sequence[Card]) -> bool:
    return talk[0].is_matched


def scenario_cards(talks: Iterable[Sequence[Card]]) -> list[Card]:
    """Return one card for the dialogues of each scenario. Raise Refused for scenarios that cannot be compared."""
    scenarios = [talk for talk in talks if is_scenario(talk)]
    _refuse(scenarios, lambda talk: len({card.source for card in talk}) < len(talk), _twice)
    _refuse(scenarios, lambda talk: len(talk) < 2, _alone)
    _refuse(scenarios, lambda talk: len({card.batch_key for card in talk}) > 1, _apart)
    return [
        Card(
            talk[0].dialogue,
            talk[0].batch_key,
            group_of(talk[0]),
            source=None,
            scenario=talk[0].scenario,
            stratum=talk[0].stratum,
            is_scenario=True,
            candidates=[(card.dialogue, card.source) for card in talk if card.source is not None],
        )
        for talk in scenarios
    ]


def unfold(card: Card, wholes: Sequence[Card], is_whole_first: bool, rng: random.Random) -> list[Card]:
    """Return what is shown of a scenario: each pair on a screen of its own, and `wholes`, which are rated alone too.

    The order of the pairs is random, so that it says nothing about sources. Pairs that are not shown stay with the
    first card; a scenario without any is returned empty.
    """
    shown = [
        Card(pair.first, card.batch_key, card.conversation, None, stratum=card.stratum, is_last=False, pairs=[pair])
        for pair in card.pairs
        if not pair.is_identical
    ]
    rng.shuffle(shown)
    cards = [*wholes, *shown] if is_whole_first else [*shown, *wholes]
    if cards:
        cards[0].pairs += [pair for pair in card.pairs if pair.is_identical]
    return cards


def _refuse(
    scenarios: Iterable[Sequence[Card]],
    is_wrong: Callable[[Sequence[Card]], bool],
    words: Callable[[int], tuple[str, str]],
) -> None:
    wrong = [talk[0].scenario for talk in scenarios if is_wrong(talk)]
    if wrong:
        code, text = words(len(wrong))
        raise Refused(code, text % {"number": intcomma(len(wrong)), "name": first_of(wrong)})


def _twice(n: int) -> tuple[str, str]:
    text = ngettext(
        "%(number)s scenario has several dialogues of one source: %(name)s. Dialogues are compared between sources, so "
        "keep one dialogue of each source in a scenario.",
        "%(number)s scenarios have several dialogues of one source, for example %(name)s. Dialogues are compared "
        "between sources, so keep one dialogue of each source in a scenario.",
        n,
    )
    return "source_twice", text


def _alone(n: int) -> tuple[str, str]:
    text = ngettext(
        "This protocol compares dialogues of two sources, but %(number)s scenario has a dialogue of only one: "
        "%(name)s. Import a dialogue of another source with this scenario, or remove this dialogue under Dialogues "
        "and their use.",
        "This protocol compares dialogues of two sources, but %(number)s scenarios have a dialogue of only one, for "
        "example %(name)s. Import dialogues of another source with these scenarios, or remove these dialogues under "
        "Dialogues and their use.",
        n,
    )
    return "one_source", text


def _apart(n: int) -> tuple[str, str]:
    text = ngettext(
        "The dialogues of %(number)s scenario name different batches: %(name)s. They are compared with each other, so "
        "name one batch for all of them.",
        "The dialogues of %(number)s scenarios name different batches, for example %(name)s. They are compared with "
        "each other, so name one batch for all of them.",
        n,
    )
    return "batches_apart", text


def refuse_unmatched(n: int, key: str) -> NoReturn:
    """Raise Refused for dialogues that have nothing to compare: no responses, and nothing to match them by."""
    text = ngettext(
        "This protocol compares, but %(number)s dialogue has neither responses nor a source and a scenario: %(key)s. "
        "Correct the file and import it again, replacing unused dialogues, or remove the dialogue under "
        "Dialogues and their use.",
        "This protocol compares, but %(number)s dialogues have neither responses nor a source and a scenario, for "
        "example %(key)s. Correct the file and import it again, replacing unused dialogues, or remove the "
        "dialogues under Dialogues and their use.",
        n,
    )
    raise Refused("no_scenario", text % {"number": intcomma(n), "key": key})
