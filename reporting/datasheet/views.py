"""The datasheet of a study: a page for the team, where people who may configure the study answer, and downloads."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override as in_language
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Right, rights_in, signed_in, study_for
from annotation.models import Study
from annotation.services.datasheet import LONGEST_ANSWER, save_answer
from reporting.datasheet.build import Answer, as_json, as_markdown, by_section, counts_of, datasheet
from reporting.datasheet.questions import QUESTIONS, SOURCE
from reporting.report.build import open_report
from reporting.study.facts import people_of

FILES = {"md": ("text/markdown; charset=utf-8", as_markdown), "json": ("application/json", as_json)}


class AnswerForm(forms.Form):
    question = forms.ChoiceField(choices=[(each.number, each.number) for each in QUESTIONS], widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Answer"), required=False, max_length=LONGEST_ANSWER, widget=forms.Textarea(attrs={"rows": 4})
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def datasheet_page(request: HttpRequest, slug: str) -> HttpResponse:
    if request.method != "POST":
        return _page(request, study_for(request.user, slug, Right.WATCH))
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form)
    number, text = form.cleaned_data["question"], form.cleaned_data["text"]
    save_answer(study, number, text, by=signed_in(request.user), now=timezone.now())
    return redirect(f"{reverse('datasheet', args=[study.slug])}#{_anchor(number)}")


@require_safe
@login_required
def datasheet_file(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    content_type, write = FILES[ending]
    with in_language("en"):
        text = write(study, _answers(study), now=timezone.now())
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-datasheet.{ending}"'}
    return HttpResponse(text, content_type, headers=headers)


def _page(request: HttpRequest, study: Study, wrong: AnswerForm | None = None) -> HttpResponse:
    """Show the datasheet; `wrong` is an invalid form, which is shown again with its errors."""
    answers, rights = _answers(study), rights_in(request.user, study)
    sections = []
    for number, name, part in by_section(answers):
        rows = []
        for answer in part:
            anchor = _anchor(answer.number)
            is_wrong = wrong is not None and wrong["question"].value() == answer.number
            form = wrong if is_wrong else None
            if form is None and Right.CONFIGURE in rights:
                text = answer.text if answer.origin == "written" else ""
                form = AnswerForm(initial={"question": answer.number, "text": text}, auto_id=f"{anchor}-%s")
            rows.append({"answer": answer, "anchor": anchor, "form": form, "is_wrong": is_wrong})
        sections.append((number, name, rows))
    context = {"study": study, "rights": rights, "sections": sections, "counts": counts_of(answers), "source": SOURCE}
    context["form"] = wrong
    return render(request, "reporting/datasheet/datasheet.html", context, status=422 if wrong else 200)


def _answers(study: Study) -> list[Answer]:
    return datasheet(study, open_report(study, now=timezone.now()), people_of(study))


def _anchor(number: str) -> str:
    return f"q-{number.replace('.', '-')}"
