"""Figures as files: an SVG that stands alone, and a PNG of the same picture for print."""

import re
from io import BytesIO
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from annotation.models import Source, Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from parley import pdf
from reporting.chart_files.charts import FIGURES
from reporting.charts import Bar, BarGroup, bar_figure
from reporting.charts.drawing import SERIES, TONES
from reporting.charts.files import DPI, MARGIN, MOST_PIXELS, as_png, as_svg
from tests.cast import Cast
from tests.reporting.charts.test_charts import FIGURES as PICTURES
from tests.reporting.charts.test_charts import SVG
from tests.working import rate_everything

NOW = timezone.now()
# There are too few answers, or none of the kind.
NOTHING_YET = {"alphas", "behaviours", "board-course", "labels", "predicted", "ranking", "ranks"}
LONG = "it5-large-knowledge-grounded <2021> & checkpoint-18000"


@pytest.fixture
def study(cast: Cast) -> Study:
    """Rated by three who did not agree, with names that are too long or Chinese."""
    for at, annotator in enumerate(cast.annotators):
        assignment = claim_seat(annotator, cast.batch, now=NOW)
        rate_everything(assignment, now=NOW, option=at % 2)
    rate_everything(assignment, now=NOW, option=1, n=4)  # otherwise annotators would explain every answer
    sweep(now=NOW)
    for source, name in zip(Source.objects.filter(study=cast.study), (LONG, "通义千问二号对话模型"), strict=False):
        Source.objects.filter(pk=source.pk).update(name=name)
    return cast.study


@pytest.fixture
def watcher(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.observer)
    return client


def address(study: Study, name: str, kind: str = "svg") -> str:
    return reverse(f"report_figure_{kind}", args=[study.slug, name])


# --- the file --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PICTURES)
def test_an_svg_alone_has_its_size_and_needs_nothing_from_anywhere(name: str):
    text = as_svg(PICTURES[name]())

    root = ElementTree.fromstring(text)
    left, top, width, height = map(float, root.get("viewBox").split())
    assert (float(root.get("width")), float(root.get("height"))) == (width, height)
    assert (left, top) == (-MARGIN, -MARGIN)
    assert 'xmlns="http://www.w3.org/2000/svg"' in text
    assert root.get("font-family").endswith("sans-serif")
    assert not re.search(r"href=|url\(|@import|var\(|light-dark|<script", text)
    assert {root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")} == set(root.get("aria-labelledby").split())


@pytest.mark.parametrize("name", PICTURES)
def test_every_mark_of_a_file_says_its_own_colour(name: str):
    root = ElementTree.fromstring(as_svg(PICTURES[name]()))

    paper = next(each for each in root if each.tag == f"{SVG}rect")
    assert paper.get("fill") == "#ffffff"
    for tag, needed in (("text", "fill"), ("rect", "fill"), ("circle", "fill"), ("line", "stroke")):
        assert all(each.get(needed) for each in root.iter(f"{SVG}{tag}")), tag


def test_colours_of_files_are_those_of_the_page_in_its_light_theme(settings):
    css = (settings.BASE_DIR / "static" / "css" / "figures.css").read_text()
    light = dict(re.findall(r"--([\w-]+): light-dark\((#\w+),", css))

    assert {name: fill for name, (fill, _ink) in TONES.items()} == {name: light[f"tone-{name}"] for name in TONES}
    assert light["fig-series-0"] == light["fig-dot"] == SERIES[0]


def test_a_png_is_the_svg_at_the_dots_of_print():
    picture = PICTURES["bars"]()
    width, height = (float(ElementTree.fromstring(as_svg(picture)).get(side)) for side in ("width", "height"))

    image = Image.open(BytesIO(as_png(picture)))

    assert image.format == "PNG"
    assert image.size == (pytest.approx(width / 96 * DPI, abs=2), pytest.approx(height / 96 * DPI, abs=2))
    assert image.info["dpi"] == (pytest.approx(DPI, abs=1), pytest.approx(DPI, abs=1))
    colours = {colour for _n, colour in image.convert("RGB").getcolors(maxcolors=1 << 24)}
    assert {(255, 255, 255), tuple(bytes.fromhex(SERIES[0][1:]))} <= colours


def test_a_very_long_figure_gets_fewer_dots_and_is_still_drawn_whole():
    groups = [BarGroup(f"Criterion {at}", tuple(Bar(f"model {n}", n / 60, n) for n in range(60))) for at in range(20)]
    picture = bar_figure(name="b", title="t", description="d", groups=groups)

    image = Image.open(BytesIO(as_png(picture)))

    assert image.width * image.height <= MOST_PIXELS * 1.01
    assert image.height > 20 * image.width


# --- the page --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_a_file_of_both_kinds_with_the_name_of_the_study(study: Study, watcher: Client, name: str):
    for kind, content_type, begins in (("svg", "image/svg+xml", b"<?xml"), ("png", "image/png", b"\x89PNG")):
        answer = watcher.get(address(study, name, kind))
        if name in NOTHING_YET:
            assert answer["Location"] == reverse(FIGURES[name].page, args=[study.slug])
        else:
            assert answer["Content-Type"] == content_type
            assert f'filename="{study.slug}-{name}.{kind}"' in answer["Content-Disposition"]
            assert answer.content.startswith(begins)


def test_a_file_has_the_whole_name_of_a_source_even_where_its_label_is_cut(study: Study, watcher: Client):
    texts = list(ElementTree.fromstring(watcher.get(address(study, "votes")).content).itertext())

    assert LONG in texts
    assert "通义千问二号对话模型" in texts


@pytest.mark.parametrize("name", ["means", "differences", "agreement", "votes", "errors"])
def test_the_file_is_the_figure_of_the_page(study: Study, watcher: Client, name: str):
    page = watcher.get(reverse("report", args=[study.slug])).content.decode()
    shown = re.search(rf'<svg(?:(?!</svg>).)*id="{name}-title".*?</svg>', page, re.DOTALL)[0]

    drawn = ElementTree.fromstring(watcher.get(address(study, name)).content)

    numbers = [each.text for each in ElementTree.fromstring(shown).iter(f"{SVG}text")]
    assert numbers == [each.text for each in drawn.iter(f"{SVG}text")]
    for kind in ("svg", "png"):
        assert f'href="{address(study, name, kind)}"' in page


def test_the_boards_figures_follow_its_query(study: Study, watcher: Client):
    alpha = watcher.get(address(study, "board-agreement"), {"statistic": "alpha"}).content.decode()
    fleiss = watcher.get(address(study, "board-agreement"), {"statistic": "fleiss"}).content.decode()

    assert "Krippendorff" in alpha
    assert "Fleiss" in fleiss
    board = watcher.get(reverse("board", args=[study.slug]), {"statistic": "alpha"}).content.decode()
    assert f'{address(study, "board-agreement")}?statistic=alpha"' in board


def test_the_votes_figure_reads_less_than_the_report(study: Study, watcher: Client, django_assert_max_num_queries):
    with django_assert_max_num_queries(9):
        watcher.get(address(study, "votes"))


def test_before_there_is_anything_to_draw_the_page_says_so(cast: Cast, watcher: Client):
    for name, figure in FIGURES.items():
        answer = watcher.get(address(cast.study, name), follow=True)

        assert answer.redirect_chain == [(reverse(figure.page, args=[cast.study.slug]), 302)]
        assert "This chart has nothing to show yet." in answer.content.decode()


def test_an_unknown_figure_is_not_found(study: Study, watcher: Client):
    assert watcher.get(address(study, "secrets")).status_code == 404


def test_without_the_libraries_of_pdf_the_page_says_what_is_missing(study: Study, watcher: Client, monkeypatch):
    def lacks(*_args, **_more):
        raise pdf.PdfUnavailable("This server cannot create PDFs")

    monkeypatch.setattr("reporting.charts.files.make_pdf", lacks)

    page = watcher.get(address(study, "votes", "png"), follow=True).content.decode()

    assert "This server cannot create PDFs" in page
    assert watcher.get(address(study, "votes", "svg")).status_code == 200


def test_a_printed_report_has_no_links_to_files(study: Study, watcher: Client):
    assert "figures/votes" not in watcher.get(reverse("report_html", args=[study.slug])).content.decode()
