"""What comes first in the report: results, then agreement by the coefficient that fits the scale."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Study
from annotation.services.claiming import claim_seat
from tests.cast import Cast
from tests.clock import NOW
from tests.comparing import make_compared
from tests.factories import MembershipFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db


def page_of(study: Study) -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return re.sub(r"\s+", " ", client.get(reverse("report", args=[study.slug])).text).replace("&#x27;", "'")


def headings(page: str) -> list[str]:
    return [re.sub("<[^>]+>", "", each) for each in re.findall(r"<h[34][^>]*>(.*?)</h[34]>", page.split("<main")[1])]


def in_order(found: list[str], *wanted: str) -> bool:
    places = [found.index(each) for each in wanted]
    return places == sorted(places)


def test_a_study_on_scales_leads_with_means_and_alpha(scale_study: Study):
    found = headings(page_of(scale_study))
    assert in_order(found, "Results by source", "Differences between sources", "Agreement", "All sources together",
                    "Krippendorff's alpha by source", "Fleiss' kappa by source", "All votes")  # fmt: skip
    assert "Positive by majority" not in found, "the protocol names no positive option"
    assert "Items nobody was unsure about" not in found, "nobody can be unsure"


def test_alpha_is_the_first_column_and_has_a_figure(scale_study: Study):
    page = page_of(scale_study)
    table = page.split('aria-label="Agreement over all sources"')[1].split("</thead>")[0]
    assert [strip_tags(head) for head in re.findall(r"<th[^>]*>(.+?)</th>", table)][:3] == [
        "Criterion", "Krippendorff's alpha", "Fleiss' kappa",
    ]  # fmt: skip
    assert "Krippendorff's alpha by criterion and source" in page
    assert "Fleiss' kappa ignores the order of the options" in page


def test_votes_on_a_scale_without_positive_options_lead_with_the_mean(scale_study: Study):
    votes = page_of(scale_study).split('aria-label="Table of votes"')[1].split("</table>")[0]
    first = re.search(r'<td class="number">\s*([\d.]+)( %)?', votes)
    assert first is not None
    assert (float(first[1]) > 1, first[2]) == (True, None)


def test_positive_by_majority_names_the_positive_options_and_what_a_tie_is(cast: Cast):
    for number, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    section = page_of(cast.study).split('id="t-majority"')[1].split("</section>")[0]
    assert "The protocol names these options positive:" in section
    assert "An item is tied if" in section
    assert in_order(headings(page_of(cast.study)), "Results by source", "Agreement", "Positive by majority")


def test_a_study_that_compares_leads_with_the_ranking():
    assert in_order(headings(page_of(make_compared())), "Ranking of sources", "Comparisons of pairs", "Agreement")
