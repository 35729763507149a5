"""A metric beside people: the results of a study are those of the measures on its exported answers."""

import csv
import io

import numpy as np
import pytest

from annotation.models import Candidate, Prediction, Rating, Study
from measures.machines.alternative import alternative_test
from measures.machines.ceiling import human_ceiling
from measures.machines.corrected import WEAK_JUDGE, corrected_rate
from measures.machines.judged import Judged
from measures.machines.powered import NO_LABELS, TOO_FEW_JUDGED, Part, powered_mean
from measures.machines.systems import compare_systems, widest_gaps
from reporting.exports.formats import write_export
from reporting.predictions.beside import CONSTANT, NOT_ANSWERS, Beside, Verdict, beside_people, ceiling_of
from reporting.predictions.gaps import gap_rows
from reporting.predictions.table import Comparison
from tests.reporting.predictions.conftest import make_metric, people_and_judge

pytestmark = pytest.mark.django_db


def beside_in(study: Study, key: str = "judge", criterion: str = "appropriateness", **fields: float) -> Beside:
    comparison = Comparison(study)
    metric = next(each for each in comparison.metrics if each.key == key)
    return beside_people(comparison, metric, comparison.spec.by_key[criterion], **fields)


class Exported:
    """The answers of the export, and all responses that the judge answered, numbered here and nowhere else."""

    def __init__(self, study: Study, data: bytes):
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
        responses = list(Candidate.objects.filter(dialogue__study=study).select_related("dialogue", "source"))
        places = {(each.dialogue.key, each.key): at for at, each in enumerate(responses)}
        options = [each.key for each in study.protocol_version.criteria.get().options.all()]
        said = dict(Prediction.objects.values_list("candidate", "option__key"))
        people = sorted({row["annotator"] for row in rows})
        self.judged = Judged.of(
            [places[row["dialogue"], row["item"]] for row in rows],
            [people.index(row["annotator"]) for row in rows],
            [options.index(row["option"]) for row in rows],
            [options.index(said[each.pk]) for each in responses],
            [each.dialogue_id for each in responses],
        )
        self.sources = np.array([each.source.position for each in responses])

    @property
    def part(self) -> Part:
        """Being appropriate, the first option, counts as 1."""
        cluster = np.unique(self.judged.cluster, return_inverse=True)[1]
        positive = Judged.of(self.judged.item, self.judged.annotator, self.judged.value == 0, self.judged.judge == 0)
        return Part(positive.means(), positive.judge, cluster)


@pytest.fixture
def exported() -> tuple[Study, Exported]:
    study, file = people_and_judge(), io.BytesIO()
    write_export(study, "long-csv", {}, file)
    return study, Exported(study, file.getvalue())


def test_a_good_judge_may_replace_people_by_the_test_of_the_exported_votes(exported: tuple[Study, Exported]):
    study, export = exported
    found = beside_in(study).replacing
    wanted = alternative_test(export.judged, "nominal", epsilon=0.15)
    assert found.verdict == Verdict.YES
    assert found.test.winning_rate.value == wanted.winning_rate.value
    assert (found.test.advantage.value, found.test.advantage.low) == pytest.approx(
        (wanted.advantage.value, wanted.advantage.low)
    )
    assert sorted(each.p_value for each in found.test.annotators) == pytest.approx(
        sorted(each.p_value for each in wanted.annotators)
    )


def test_epsilon_changes_the_answer(exported: tuple[Study, Exported]):
    study, _export = exported
    assert beside_in(study, epsilon=0.0).replacing.verdict == Verdict.NO


def test_means_join_people_with_what_the_judge_says_of_unrated_responses(exported: tuple[Study, Exported]):
    study, export = exported
    whole, *of_sources = beside_in(study).scores
    wanted = powered_mean(export.part)
    assert (whole.powered.estimate.n_items, whole.powered.estimate.n_ratings) == (40, 80)
    assert whole.powered.estimate.value == pytest.approx(wanted.estimate.value)
    assert (whole.powered.estimate.low, whole.powered.estimate.high) == pytest.approx(
        (wanted.estimate.low, wanted.estimate.high)
    )
    assert whole.powered.further == wanted.further
    assert whole.corrected.estimate.value == pytest.approx(corrected_rate(export.part).estimate.value)
    assert whole.judge.value == pytest.approx(export.part.judge.mean())
    for each in of_sources:
        mine = export.sources == each.source.position
        part = Part(export.part.human[mine], export.part.judge[mine], export.part.cluster[mine])
        assert each.powered.estimate.value == pytest.approx(powered_mean(part).estimate.value)


def test_sources_are_ranked_as_the_exported_votes_rank_them(exported: tuple[Study, Exported]):
    study, export = exported
    found = beside_in(study).systems
    wanted = compare_systems(export.part, np.unique(export.sources, return_inverse=True)[1], 2, seed=study.seed)
    assert found.kendall.value == wanted.kendall.value
    assert found.pairwise_accuracy.value == wanted.pairwise_accuracy.value


def test_the_ceiling_is_that_of_the_exported_votes(exported: tuple[Study, Exported]):
    study, export = exported
    found = {(each.against, each.measure): each for each in ceiling_of(beside_in(study).judging)}
    for wanted in human_ceiling(export.judged, "nominal"):
        got = found[wanted.against, wanted.measure]
        for side in ("people", "judge", "difference"):
            assert getattr(got, side).value == pytest.approx(getattr(wanted, side).value)
            assert getattr(got, side).low == pytest.approx(getattr(wanted, side).low)
        assert (got.people.n_items, got.people.n_ratings) == (40, 160)


def test_items_that_differ_most_come_first_with_all_answers(exported: tuple[Study, Exported]):
    study, export = exported
    rows = gap_rows(beside_in(study).judging)
    wanted = widest_gaps(export.judged, "nominal", 20)
    assert [row["gap"] for row in rows] == [each.gap for each in wanted]
    first = export.judged.value[export.judged.item == wanted[0].item]
    labels = [option.label for option in study.protocol_version.criteria.get().options.all()]
    assert sum(int(answer.split(" × ")[0]) for answer in rows[0]["people"]) == len(first) == 4
    assert rows[0]["said"] == labels[int(export.judged.judge[wanted[0].item])]
    assert rows[0]["said"] not in rows[0]["people"][0]


def test_with_two_annotators_it_is_not_known():
    found = beside_in(people_and_judge(n_annotators=2)).replacing
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "too_few_annotators")


def test_a_judge_that_always_gives_one_answer_may_not_replace_people():
    """It passes the test: where people rarely say no, a judge that never does says what they say."""
    found = beside_in(people_and_judge(errs=0.02, negative=0.05, judge=lambda _truth: 0))
    assert found.replacing.test.passes
    assert (found.replacing.verdict, found.replacing.reason) == (Verdict.NO, CONSTANT)
    assert found.scores[0].corrected.estimate.reason == WEAK_JUDGE


def test_a_judge_that_is_worse_than_chance_has_no_corrected_rate():
    found = beside_in(people_and_judge(judge=lambda truth: 1 - truth))
    assert found.replacing.verdict == Verdict.NO
    assert found.scores[0].corrected.estimate.reason == WEAK_JUDGE


def test_few_items_pass_too_easily_to_say_yes():
    found = beside_in(people_and_judge(n_dialogues=10, errs=0.02)).replacing
    assert found.test.passes
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "small_sample")


def test_without_ratings_nothing_is_known():
    study = people_and_judge()
    Rating.objects.all().delete()
    found = beside_in(study)
    assert (found.replacing.verdict, found.replacing.reason) == (Verdict.UNKNOWN, "too_few_annotators")
    assert {each.powered.estimate.reason for each in found.scores} == {NO_LABELS}


def test_where_people_rated_everything_the_judge_needs_more_items(judged: Study):
    whole = beside_in(judged).scores[0]
    assert whole.powered.estimate == whole.powered.people
    assert (whole.powered.further.n, whole.powered.further.reason) == (None, TOO_FEW_JUDGED)


def test_a_score_in_its_own_unit_is_no_answer_but_sharpens_means(judged: Study):
    found = beside_in(judged, "bleu")
    assert (found.replacing.verdict, found.replacing.reason) == (Verdict.UNKNOWN, NOT_ANSWERS)
    assert [each.measure for each in ceiling_of(found.judging)] == ["pearson", "pearson"]
    assert found.scores[0].corrected.estimate.reason == "not_binary"


def test_of_a_score_where_lower_is_better_the_order_is_turned(judged: Study):
    values = {source.pk: place for place, source in enumerate(judged.sources.order_by("pk"))}
    make_metric(judged, "up", lambda c: float(values[c.source_id]))
    make_metric(judged, "down", lambda c: -float(values[c.source_id]), higher_is_better=False)
    up, down = beside_in(judged, "up"), beside_in(judged, "down")
    assert up.systems.kendall.value == down.systems.kendall.value
    assert down.scores[0].judge.value == -1.0
