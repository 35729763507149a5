"""The files of a paper compile as they are, and everything fits on the page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from django.utils.translation import override as in_language

from annotation.models import Study
from annotation.services.sample import make_sample_study
from protocols.selectors import find_version
from reporting.report.build import Report, build_report
from reporting.report.cited import CITED, FIRST_AUTHOR, REFERENCES, references_of
from reporting.report.latex import as_latex
from reporting.report.latex_table import escaped, table
from reporting.report.page import page_of
from reporting.report.paper import FIGURES, paper_files
from tests.comparing import make_study
from tests.factories import UserFactory
from tests.reporting.report.test_rankings import answer, make_answered

pytestmark = pytest.mark.django_db
NOW = timezone.now()
NOT_CITED_YET = re.compile(r"Citation `\w+'\s+on\s+page\s+\d+\s+undefined|There were undefined (references|citations)")
# The page of a conference: two columns of 7.7 cm in Times, captions and references of its own.
CONFERENCE = r"""\documentclass[11pt,twocolumn]{article}
\usepackage[T1]{fontenc}
\usepackage{times}
\usepackage[a4paper,margin=2.5cm,columnsep=0.6cm]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\begin{document}
\section{Methods}\input{methods}
\section{Results}\input{results}
%s
\end{document}
"""


def written(report: Report, folder: Path) -> Path:
    with in_language("en"):
        page = page_of(report)
        for name, content in paper_files(report, {name: page[f"{name}_figure"] for name in FIGURES}):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return folder


def compiled(folder: Path, name: str) -> str:
    """Return the log of the second run. The first one finds what is referred to."""
    assert shutil.which("pdflatex"), "apt-get install texlive-latex-recommended texlive-fonts-recommended"
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", name]
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return (folder / name).with_suffix(".log").read_text(encoding="utf-8", errors="replace")


def expect_a_clean_page(log: str) -> None:
    assert "multiply defined" not in log
    # BibTeX, which runs between the two, finds what is cited.
    assert "undefined" not in NOT_CITED_YET.sub("", log)
    too_wide = [float(each) for each in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]
    assert [each for each in too_wide if each > 3] == []
    assert "Overfull \\vbox" not in log
    assert "Float too large" not in log


@pytest.fixture(scope="module")
def make_ranked(shared):
    return shared(make_answered)


def make_sample() -> Study:
    """Four criteria, and cells with long notes: two people, and coefficients that are undefined."""
    call_command("load_protocols")
    return make_sample_study("sample", protocol_version=find_version("he-protocol"), owner=UserFactory(), now=NOW)


def make_many_ranked() -> Study:
    """Five sources with names as long as those of models are."""
    study = make_study(8, 5, seats=6, seed=5)
    for at, source in enumerate(study.sources.order_by("position")):
        source.name = f"galaxy-{at}b-instruct-v{at}"
        source.save()
    answer(study, name="judge")
    return study


@pytest.fixture(scope="module")
def makers(make_overlapping, make_ranked, shared):
    return {
        "overlapping": make_overlapping,
        "ranked": make_ranked,
        "sample": shared(make_sample),
        "many ranked": shared(make_many_ranked),
    }


@pytest.fixture(params=["overlapping", "ranked", "sample", "many ranked"])
def report(request, makers, db: None) -> Report:
    return build_report(makers[request.param](), now=NOW)


def test_the_paper_compiles_in_two_columns_and_nothing_is_too_wide(report: Report, tmp_path: Path):
    expect_a_clean_page(compiled(written(report, tmp_path), "paper.tex"))


def test_its_parts_fit_into_the_page_of_a_conference(report: Report, tmp_path: Path):
    folder = written(report, tmp_path)
    parts = [rf"\input{{tables/{each.stem}}}\clearpage" for each in sorted(folder.glob("tables/*.tex"))]
    pictures = sorted(folder.glob("figures/*.pdf"))
    parts += [rf"\noindent\includegraphics[width=\columnwidth]{{figures/{each.name}}}\par" for each in pictures]
    assert len(parts) >= 5
    assert pictures
    (folder / "conference.tex").write_text(CONFERENCE % "\n".join(parts), encoding="utf-8")
    expect_a_clean_page(compiled(folder, "conference.tex"))


def test_the_whole_report_compiles(report: Report, tmp_path: Path):
    (tmp_path / "report.tex").write_text(as_latex(report), encoding="utf-8")
    expect_a_clean_page(compiled(tmp_path, "report.tex"))


def test_every_publication_that_the_report_can_name_is_in_the_bibliography():
    written = " ".join(path.read_text(encoding="utf-8") for path in REFERENCES.parent.glob("*.py"))
    named = {name for name, _year in CITED.findall(re.sub(r'"\s+"', "", written))}
    assert {"Kuznetsova", "Westfall", "MacKinnon", "Al Mohamad", "de Vet"} <= named
    assert named <= {FIRST_AUTHOR.findall(line)[0] for line in REFERENCES.read_text(encoding="utf-8").splitlines()[1:]}


def test_the_bibliography_has_what_the_text_names_and_nothing_else():
    assert FIRST_AUTHOR.findall(references_of("p values were corrected by Holm's method (1979).")) == ["Holm"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("crossed random effects (Baayen, Davidson and Bates 2008)", ["Baayen"]),
        ("Davidson's model where there are ties", ["Davidson"]),
        ("the Bradley-Terry model, without ties", ["Bradley"]),
        ("a parameter for the side (Davidson and Beaver 1977)", ["Davidson"]),
        ("that of Landis and Koch (1977, Biometrics 33)", ["Landis"]),
    ],
)
def test_only_a_first_author_brings_an_entry_into_the_bibliography(text: str, named: list[str]):
    assert FIRST_AUTHOR.findall(references_of(text)) == named


def test_a_narrow_table_stands_in_one_column_and_a_wide_one_in_both():
    narrow = table(["Source", "Quality"], [["model-a", "4.17"]], "Means.", "means", ["l", "r"])
    wide = table(["Source", "Quality"], [["model-a " * 8, "4.17"]], "Means.", "means", ["l", "r"])
    assert r"\begin{table}" in narrow
    assert r"\begin{table*}" in wide


def test_columns_that_do_not_fit_on_a_page_are_another_part():
    cells = ["pooled 0.17; 2 undefined; and more" for _ in range(5)]
    parts = table(["Source", *"abcde"], [["model-a", *cells]], "Kappa. More.", "kappa", "lrrrrr")
    assert "part 2 of" in parts


def test_a_minus_is_printed():
    assert escaped("−0.04 to 0.60") == "$-$0.04 to 0.60"


def test_a_study_without_a_results_paragraph_has_no_empty_section(scale_study: Study):
    report = build_report(scale_study, now=NOW)
    report.results = []
    files = dict(paper_files(report, {}))
    assert "results.tex" not in files
    assert "section{Results}" not in files["paper.tex"].decode()
    report.results = ["The mean was 3.00."]
    assert "section{Results}" in dict(paper_files(report, {}))["paper.tex"].decode()


def test_the_text_cites_what_it_names_with_the_protocol_and_parley(he_study: Study):
    report = build_report(he_study, now=NOW)
    files = {name: content.decode() for name, content in paper_files(report, {}) if not name.startswith("figures/")}
    text = files["methods.tex"] + files["results.tex"]
    cited = set(re.findall(r"\\cite\{(\w+)\}", text))
    entries = set(re.findall(r"^@\w+\{(\w+),", files["references.bib"], re.MULTILINE))
    assert {"baayen2008", "holm1979", "protocol", "parley"} <= cited <= entries
    assert "Baayen, Davidson and Bates 2008" not in text
    assert "Mousavi" in files["references.bib"]
