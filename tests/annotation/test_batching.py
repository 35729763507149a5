"""Dealing: fair, complete, repeatable; and the rows it becomes."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.dealing import batch_sizes, choose_sources, deal_by_size, deal_given, deal_groups, deal_stratified
from annotation.models import Batch, Candidate, Dialogue, Item, Seat, Study
from annotation.services.batching import make_batches
from annotation.services.item_rows import MODEL_SAMPLE
from annotation.services.refusals import Refused
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.annotation.importing.conftest import DIQAD, HE_DIALOGUES, NOW, load
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory
from tests.factories_protocols import make_scale_version

numbers = st.integers(1, 300)
sizes = st.integers(1, 50)
seeds = st.integers(0, 2**31)
strata = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["car", "law", "情感"]))


# --- dealing -------------------------------------------------------------------------------------
def test_the_reference_study_is_dealt_in_batches_of_11_11_10_10() -> None:
    assert batch_sizes(42, 11) == [11, 11, 10, 10]


@given(numbers, sizes, seeds)
def test_by_size_every_dialogue_is_dealt_once_and_sizes_are_within_one(n: int, size: int, seed: int) -> None:
    hands = deal_by_size(range(n), size, random.Random(seed))
    assert sorted(itertools.chain(*hands)) == list(range(n))
    assert max(map(len, hands)) - min(map(len, hands)) <= 1
    assert max(map(len, hands)) <= size


@given(st.lists(strata, min_size=1, max_size=200), sizes, seeds)
def test_stratified_every_batch_gets_a_share_within_one(values: list, size: int, seed: int) -> None:
    hands = deal_stratified(range(len(values)), values, size, random.Random(seed))
    assert sorted(itertools.chain(*hands)) == list(range(len(values)))
    assert max(map(len, hands)) - min(map(len, hands)) <= 1
    for value in set(values):
        shares = [sum(values[card] == value for card in hand) for hand in hands]
        assert max(shares) - min(shares) <= 1


def test_a_number_of_many_values_is_spread_over_the_batches() -> None:
    lengths = list(range(100))
    hands = deal_stratified(lengths, lengths, 25, random.Random(1))
    means = [sum(hand) / len(hand) for hand in hands]
    assert max(means) - min(means) <= 3


@given(st.lists(st.integers(1, 9), min_size=1, max_size=80), sizes, seeds)
def test_groups_are_dealt_whole_into_batches_of_about_one_length(lengths: list[int], size: int, seed: int) -> None:
    groups = [[(at, turn) for turn in range(length)] for at, length in enumerate(lengths)]
    hands = deal_groups(groups, size, random.Random(seed))
    assert sorted(card for hand in hands for card in hand) == [card for group in groups for card in group]
    for hand in hands:
        whole = [list(cards) for _, cards in itertools.groupby(hand, key=lambda card: card[0])]
        assert all(group == groups[group[0][0]] for group in whole)
    loads = [len(hand) for hand in hands]
    assert max(loads) - min(loads) <= max(lengths)


def test_conversations_of_a_stratum_are_spread_over_the_batches() -> None:
    groups = [[(domain, at)] * 3 for domain in "ab" for at in range(4)]
    hands = deal_groups(groups, 6, random.Random(5), [group[0][0] for group in groups])
    assert [Counter(domain for domain, _ in hand) for hand in hands] == [{"a": 3, "b": 3}] * 4


@given(st.lists(st.sampled_from("abc"), max_size=50))
def test_given_batches_keep_the_order_of_the_import(keys: list[str]) -> None:
    hands = deal_given(range(len(keys)), keys)
    assert list(hands) == list(dict.fromkeys(keys))
    assert all(hand == [at for at, key in enumerate(keys) if key == name] for name, hand in hands.items())


@given(numbers, st.integers(1, 7).flatmap(lambda s: st.tuples(st.just(s), st.integers(1, s))), seeds)
def test_each_dialogue_shows_exactly_k_sources_and_all_are_shown_equally_often(
    n: int, sources_and_k: tuple[int, int], seed: int
) -> None:
    n_sources, k = sources_and_k
    chosen = choose_sources([range(n_sources)] * n, k, random.Random(seed))
    assert {len(sources) for sources in chosen} == {k}
    shown = Counter(itertools.chain(*chosen))
    counts = [shown[source] for source in range(n_sources)]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(("n_sources", "k"), [(5, 2), (5, 3), (5, 4), (6, 3), (4, 2)])
def test_pairs_of_sources_meet_about_equally_often(n_sources: int, k: int) -> None:
    for seed in range(20):
        chosen = choose_sources([range(n_sources)] * 420, k, random.Random(seed))
        met = Counter(pair for sources in chosen for pair in itertools.combinations(sorted(sources), 2))
        counts = [met[pair] for pair in itertools.combinations(range(n_sources), 2)]
        assert max(counts) - min(counts) <= 0.1 * sum(counts) / len(counts)


def test_a_later_deal_makes_up_for_an_earlier_one() -> None:
    earlier = [{"a", "b"}] * 10
    chosen = choose_sources([("a", "b", "c", "d")] * 10, 2, random.Random(3), earlier)
    assert chosen == [frozenset({"c", "d"})] * 10


@given(numbers, sizes, seeds)
def test_the_same_seed_deals_the_same(n: int, size: int, seed: int) -> None:
    first, again = random.Random(seed), random.Random(seed)
    assert deal_by_size(range(n), size, first) == deal_by_size(range(n), size, again)
    sources = [range(5)] * n
    assert choose_sources(sources, 3, first) == choose_sources(sources, 3, again)


# --- rows ----------------------------------------------------------------------------------------
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    study = StudyFactory(seats=7)
    load(study, HE_DIALOGUES)
    return study


def dealt(study: Study) -> dict[str, list[str]]:
    """Dialogues of each batch in their places."""
    found: dict[str, list[str]] = {}
    rows = Item.objects.filter(batch__study=study).order_by("batch__position", "position")
    for batch, dialogue in rows.values_list("batch__key", "dialogue__key"):
        if dialogue not in found.setdefault(batch, []):
            found[batch].append(dialogue)
    return found


def test_batches_named_by_the_import_are_made_as_named(study: Study) -> None:
    batches = make_batches(study, by="given", now=NOW)
    assert [(batch.key, batch.n_items, batch.status) for batch in batches] == [
        ("1", 55, "draft"), ("2", 55, "draft"), ("3", 50, "draft"), ("4", 50, "draft"),
    ]  # fmt: skip
    assert all(batch.items.count() == batch.n_items for batch in batches)
    assert list(Seat.objects.values_list("number", flat=True).order_by("batch", "number")) == [*range(1, 8)] * 4
    assert dealt(study)["1"] == [f"d{n:02}" for n in range(1, 12)]


def test_an_item_carries_the_source_of_its_candidate(study: Study) -> None:
    make_batches(study, by="given", now=NOW)
    for item in Item.objects.select_related("candidate"):
        assert (item.source_id, item.dialogue_id) == (item.candidate.source_id, item.candidate.dialogue_id)


def test_dealing_again_makes_nothing(study: Study) -> None:
    make_batches(study, by="size", size=11, now=NOW)
    assert make_batches(study, by="size", size=11, now=NOW) == []
    assert make_batches(study, by="given", now=NOW) == []
    assert study.batches.count() == 4


def test_new_dialogues_are_dealt_into_new_batches(study: Study) -> None:
    make_batches(study, by="size", size=42, now=NOW)
    late = DialogueFactory(study=study, key="late", position=100)
    late.candidates.create(source=study.sources.first(), key="c", text="Late.")
    (batch,) = make_batches(study, by="size", size=42, seats=2, now=NOW)
    assert (batch.key, batch.position, batch.n_items, batch.seats.count()) == ("main-2", 2, 1, 2)


def test_studies_of_the_same_seed_are_dealt_the_same() -> None:
    first, second, other = StudyFactory(seed=1), StudyFactory(seed=1), StudyFactory(seed=2)
    for study in (first, second, other):
        load(study, HE_DIALOGUES)
        make_batches(study, by="size", size=11, k=2, now=NOW)
    assert dealt(first) == dealt(second) != dealt(other)


def test_a_pilot_is_dealt_apart_and_takes_as_many_as_it_wants(study: Study) -> None:
    make_batches(study, by="given", now=NOW)
    (pilot,) = make_batches(study, by="size", size=10, kind="pilot", n_dialogues=5, seats=6, now=NOW)
    assert (pilot.key, pilot.kind, pilot.n_items, pilot.seats.count()) == ("pilot-1", "pilot", 25, 6)
    assert make_batches(study, by="size", size=10, kind="pilot", n_dialogues=5, now=NOW) == []


def test_the_main_work_may_leave_out_what_a_pilot_has_used(study: Study) -> None:
    make_batches(study, by="size", size=10, kind="pilot", n_dialogues=5, now=NOW)
    make_batches(study, by="size", size=50, is_fresh_only=True, now=NOW)
    used, main = (set(Item.objects.filter(batch__kind=kind).values_list("dialogue")) for kind in ("pilot", "main"))
    assert (len(used), len(main)) == (5, study.dialogues.count() - 5)
    assert not used & main
    (rest,) = make_batches(study, by="size", size=50, now=NOW)
    assert set(rest.items.values_list("dialogue")) == used


def test_given_batches_of_another_kind_say_so_in_their_key(study: Study) -> None:
    make_batches(study, by="given", now=NOW)
    batches = make_batches(study, by="given", kind="training", now=NOW)
    assert batches[0].key == "training-1"


def test_a_subset_of_sources_is_balanced_over_the_study(study: Study) -> None:
    make_batches(study, by="size", size=11, k=2, now=NOW)
    per_dialogue = Counter(Item.objects.values_list("dialogue", flat=True))
    assert set(per_dialogue.values()) == {2}
    per_source = Counter(Item.objects.values_list("source", flat=True))
    assert sorted(per_source.values()) == [16, 17, 17, 17, 17]


def test_batches_are_stratified_by_a_metadata_field() -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    load(study, DIQAD)
    batches = make_batches(study, by="stratified", size=25, field="domain", now=NOW)
    domains = Counter(Dialogue.objects.values_list("metadata__domain", flat=True))
    for domain, total in domains.items():
        for batch in batches:
            share = batch.items.filter(dialogue__metadata__domain=domain).count()
            assert total // 4 <= share <= -(-total // 4)


def test_the_number_of_turns_can_be_stratified_by() -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    load(study, DIQAD)
    means = []
    for batch in make_batches(study, by="stratified", size=50, field="n_turns", now=NOW):
        lengths = [len(item.dialogue.turns) for item in batch.items.select_related("dialogue")]
        means.append(sum(lengths) / len(lengths))
    assert abs(means[0] - means[1]) < 0.2


def test_whole_dialogues_become_items_without_candidate() -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    load(study, HE_DIALOGUES)
    make_batches(study, by="size", size=42, now=NOW)
    assert set(Item.objects.values_list("candidate", "source")) == {(None, None)}
    assert set(Item.objects.values_list("position", flat=True)) == set(range(1, 43))


def test_dialogues_known_by_id_alone_are_not_dealt(study: Study) -> None:
    DialogueFactory(study=study, key="textless", is_textless=True, turns=[])
    make_batches(study, by="size", size=42, now=NOW)
    assert not Item.objects.filter(dialogue__key="textless").exists()


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"by": "chance"}, "unknown_way"),
        ({"by": "size"}, "no_size"),
        ({"by": "size", "size": 0}, "no_size"),
        ({"by": "stratified", "size": 5}, "no_field"),
        ({"by": "stratified", "size": 5, "field": "colour"}, "unknown_field"),
        ({"by": "size", "size": 5, "k": 6}, "few_sources"),
        ({"by": "size", "size": 5, "k": 0}, "too_few"),
        ({"by": "size", "size": 5, "seats": 0}, "too_few"),
        ({"by": "size", "size": 5, "kind": "other"}, "unknown_kind"),
    ],
)
def test_what_cannot_be_dealt_is_refused(study: Study, request_: dict, code: str) -> None:
    with pytest.raises(Refused) as refused:
        make_batches(study, **request_, now=NOW)
    assert refused.value.code == code
    assert not Batch.objects.exists()


def test_responses_cannot_be_dealt_from_dialogues_without_any() -> None:
    study = StudyFactory()
    load(study, DIQAD)
    with pytest.raises(Refused, match="100 dialogues have none"):
        make_batches(study, by="size", size=10, now=NOW)


def test_dialogues_that_name_no_batch_cannot_be_dealt_as_given() -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    load(study, DIQAD)
    with pytest.raises(Refused, match="No dialogue names its batch"):
        make_batches(study, by="given", now=NOW)


def test_a_model_is_judged_by_one_response_to_each_dialogue_drawn_from_the_seed() -> None:
    """Several to one dialogue would bring the likeness of a set into the judgement of the corpus."""
    bundle = load_bundle(BUILTIN / "persona-quality-1.0.yaml")
    version = store_bundle(bundle, publish=True, now=NOW)[0]
    drawn = []
    for _ in range(2):
        study = StudyFactory(protocol_version=version, seed=7)
        source = SourceFactory(study=study)
        for dialogue in DialogueFactory.create_batch(5, study=study):
            for number in range(4):
                CandidateFactory(dialogue=dialogue, source=source, key=f"c{number}")
        DialogueFactory(study=study, is_textless=True)
        (batch,) = make_batches(study, by="size", size=10, now=NOW)
        shown = Candidate.objects.in_bulk(batch.items.get(unit="model").shown)
        assert len({each.dialogue_id for each in shown.values()}) == len(shown) == 5
        drawn.append([shown[pk].key for pk in batch.items.get(unit="model").shown])
    assert drawn[0] == drawn[1]


def test_sets_and_models_become_items_that_know_what_they_show() -> None:
    bundle = load_bundle(BUILTIN / "persona-quality-1.0.yaml")
    study = StudyFactory(protocol_version=store_bundle(bundle, publish=True, now=NOW)[0])
    load(study, HE_DIALOGUES)
    batch = make_batches(study, by="size", size=10, now=NOW)[0]
    units = Counter(batch.items.values_list("unit", flat=True))
    n_dialogues = batch.items.filter(unit="response").values("dialogue").distinct().count()
    assert units == {"response": 5 * n_dialogues, "candidate_set": 5 * n_dialogues, "model": 5}
    assert batch.n_items == sum(units.values())
    together = batch.items.filter(unit="candidate_set").first()
    shown = Candidate.objects.filter(pk__in=together.shown)
    assert set(shown.values_list("dialogue", "source")) == {(together.dialogue_id, together.source_id)}
    model = batch.items.filter(unit="model").first()
    assert len(model.shown) == MODEL_SAMPLE
    assert Candidate.objects.filter(pk__in=model.shown).values("dialogue").distinct().count() == MODEL_SAMPLE
    assert set(Candidate.objects.filter(pk__in=model.shown).values_list("source", flat=True)) == {model.source_id}
    assert model.position == n_dialogues + 1
