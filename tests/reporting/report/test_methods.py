"""The methods paragraph names everything that was asked, and what it was asked about."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Membership, Rating, Study
from parley.numbers import between
from protocols.specs import spec_of
from reporting.report.build import build_report
from reporting.report.methods import _by_source, _ties, methods
from reporting.report.sizes import Seats, SourceItems
from tests.factories import UserFactory
from tests.reporting.report.test_behaviours import rated_study
from tests.shipped import Work

pytestmark = pytest.mark.django_db


def methods_on_the_page(study) -> str:
    client = Client()
    client.force_login(Membership.objects.create(study=study, user=UserFactory(), role="owner").user)
    page = client.get(reverse("report", args=[study.slug])).text
    return page.split('id="t-methods"')[1].split("</section>")[0]


def test_every_question_and_every_unit_of_abc_eval_is_named():
    work = Work("abc-eval-1.1", n_dialogues=2, n_sources=1).has_read_all()
    for item in work.items("response"):
        work.answer(item, "sociality", work.spec.by_key["sociality"].options[0].key)
    said = methods_on_the_page(work.study)
    assert "Responses and whole dialogues were judged under version 1.1 of the protocol abc-eval" in said
    names = [each.name for each in spec_of(work.study.protocol_version).criteria]
    assert len(names) == 16
    others = [each for each in names if each != work.spec.by_key["sociality"].name]
    assert f"The criterion was {work.spec.by_key['sociality'].name}." in said
    assert f"Without any answer: {', '.join(others[:-1])} and {others[-1]}." in said


def test_a_protocol_of_responses_alone_speaks_of_responses():
    work = Work("ssa-1.0", n_dialogues=1, n_sources=1).has_read_all()
    (first, *_rest) = work.items("response")
    work.answer(first, work.spec.criteria[0].key, work.spec.criteria[0].options[0].key)
    assert "Responses were judged under version" in methods_on_the_page(work.study)


def test_answers_that_are_missing_are_counted_in_the_methods_and_the_checklist(scale_study: Study):
    given = Rating.objects.filter(criterion__key="coherence").order_by("item", "pk")
    first, other = given.first(), given.last()
    Rating.objects.filter(pk__in=[first.pk, other.pk]).update(is_active=False)
    report = build_report(scale_study, now=timezone.now())
    said = "Answers per item to Coherence: 2 to 3, 2.75 on average; answers not given or not asked for: 2."
    assert f"Each item was judged by 3 annotators. {said}" in " ".join(methods(report))
    (row,) = [row for row in report.checklist if row.key == "votes_per_sample"]
    assert row.lines == ["Annotators per item: 3; planned: 3.", said]


def test_seats_that_an_import_adds_are_not_planned_and_the_setting_is_where_there_are_no_others(scale_study: Study):
    def planned() -> str:
        (row,) = [
            row for row in build_report(scale_study, now=timezone.now()).checklist if row.key == "votes_per_sample"
        ]
        return row.lines[0]

    work = Assignment.objects.filter(batch__study=scale_study)
    work.filter(pk=work.first().pk).update(has_added_seat=True)
    assert planned() == "Annotators per item: 3; planned: 2."
    work.update(has_added_seat=True)
    Study.objects.filter(pk=scale_study.pk).update(seats=5)
    scale_study.refresh_from_db()
    assert planned() == "Annotators per item: 3; planned: 5."


def test_agreement_has_both_intervals_each_with_the_annotators_it_holds_for(overlapping: Study):
    report = build_report(overlapping, now=timezone.now())
    row = next(each for each in report.agreement_overall if each.criterion == "appropriateness")
    ends = (row.fleiss_kappa, row.fleiss.low, row.fleiss.high)
    new = (row.fleiss_new_annotators.low, row.fleiss_new_annotators.high)
    value, low, high, new_low, new_high = (f"{each:.2f}" for each in (*ends, *new))
    said = f"{value} (95 % interval for these annotators: {low} to {high}; for new annotators: {new_low} to {new_high})"
    assert f"For Appropriateness, Fleiss' kappa was {said}." in " ".join(methods(report))


def test_the_analysis_of_behaviours_is_described(tmp_path):
    report = build_report(rated_study(tmp_path), now=timezone.now())
    text = " ".join(methods(report))
    for said in (
        "The 3 options of Behaviours, of which an answer can tick several, were each analysed as a behaviour",
        "by a linear mixed model with crossed random effects of annotators and conversations",
        "corrected by Holm's method over the pairs of sources of each behaviour",
        "the share of positive agreement",
    ):
        assert said in text, said
    share = report.behaviours[0].agreement.positive_agreement
    assert f"Positive agreement was {share:.2f} for the one behaviour that has it." in text


def test_dialogues_that_are_conversations_of_their_own_are_called_dialogues(overlapping: Study):
    client = Client()
    client.force_login(Membership.objects.create(study=overlapping, user=UserFactory(), role="owner").user)
    page = client.get(reverse("report", args=[overlapping.slug])).text
    assert "new conversations" not in page
    assert "Mean scores with 95 per cent intervals, for new annotators and new dialogues." in page
    text = " ".join(build_report(overlapping, now=timezone.now()).methods)
    assert "share its annotator and its dialogue" in text
    assert "conversation" not in text


def test_a_mean_between_two_numbers_of_annotators_is_never_shown_as_one_of_them():
    assert between(1.996, 1, 2) == "1.996"
    assert between(1.9, 1, 2) == "1.90"
    assert between(2.0, 2, 2) == "2.00"


def test_judgements_that_are_missing_are_counted_out_of_all(scale_study: Study):
    first = Rating.objects.order_by("item", "pk").first()
    Rating.objects.filter(item=first.item, assignment=first.assignment).update(is_active=False)
    report = build_report(scale_study, now=timezone.now())
    assert report.material.votes_missing == 1
    said = f"Of {3 * report.material.items} judgements (3 annotators for each item), 1 is missing."
    assert said in " ".join(report.methods)
    unequal = replace(report.material, seats_per_batch=Seats(2, 3))
    assert unequal.votes_missing == 0
    for other in (2, 4):
        assert replace(report.material, seats_per_batch=Seats(other, other)).votes_missing == 0, "planned otherwise"


def test_majorities_of_two_votes_are_said_to_say_little(overlapping: Study):
    material = build_report(overlapping, now=timezone.now()).material
    assert material.items_with_two_votes <= material.items_with_even_votes <= material.items
    two = replace(material, items=10, items_with_two_votes=6, items_with_even_votes=7)
    assert "Of 10 items, 6 have two votes: two different votes are a tie, unless both are positive" in " ".join(
        _ties(two)
    )
    even = replace(two, items_with_two_votes=0)
    assert "Of 10 items, 7 have an even number of votes, which can tie" in " ".join(_ties(even))
    assert list(_ties(replace(even, items_with_even_votes=5))) == []


def test_sources_with_dialogues_of_their_own_have_their_numbers(overlapping: Study):
    material = build_report(overlapping, now=timezone.now()).material
    assert not material.has_dialogues_by_source
    own = replace(material, dialogues=57, by_source=[SourceItems("a", 24), SourceItems("b", 33)])
    assert own.has_dialogues_by_source
    assert not replace(own, by_source=own.by_source[:1], dialogues=24).has_dialogues_by_source
    sources = [SimpleNamespace(key="a", name="Hana"), SimpleNamespace(key="b", name="Juno")]
    said = list(_by_source(SimpleNamespace(material=own, sources=sources)))
    assert said == ["Each source has dialogues of its own: Hana 24 and Juno 33."]
