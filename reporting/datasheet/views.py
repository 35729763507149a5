"""The datasheet of a study: a page for the team, where people who may configure the study answer, and downloads."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override as in_language
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Right, rights_in, signed_in, study_for
from annotation.models import Study
from annotation.services.datasheet import LONGEST_ANSWER, save_answer
from reporting.datasheet.build import (
    DATABASE,
    WRITTEN,
    Answer,
    answers_of,
    as_json,
    as_markdown,
    by_section,
    counts_of,
    known_of,
)
from reporting.datasheet.choices import PICKS, chosen, named
from reporting.datasheet.facts import Known
from reporting.datasheet.form import as_form
from reporting.datasheet.heds3 import HEDS3
from reporting.datasheet.question import DatasheetQuestion, Kind, Standard
from reporting.datasheet.standards import DEFAULT, STANDARDS
from reporting.report.build import open_report
from reporting.study.facts import people_of

FILES = {"md": ("text/markdown; charset=utf-8", as_markdown), "json": ("application/json", as_json)}


class AnswerForm(forms.Form):
    """The answer to one question: its options, if it has any that are not about each criterion, and words."""

    question = forms.CharField(widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Answer"), required=False, max_length=LONGEST_ANSWER, widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, question: DatasheetQuestion, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.asked = question
        if question.has_choice:
            choices = [(option.number, str(_(option.text))) for option in question.options]
            several = question.kind == Kind.SEVERAL
            field = forms.TypedMultipleChoiceField if several else forms.TypedChoiceField
            widget = forms.CheckboxSelectMultiple if several else forms.RadioSelect
            self.fields["options"] = field(
                label=_("Options"), choices=choices, coerce=int, required=False, widget=widget, empty_value=None
            )
            self.fields["text"].label = _("In words")
            self.order_fields(["question", "options", "text"])

    def clean(self) -> dict[str, Any]:
        if not self.errors and len(self.words()) > LONGEST_ANSWER:  # the options' names count too
            self.add_error("text", _("This answer is too long. Shorten it or link to a longer text."))
        return self.cleaned_data

    def words(self) -> str:
        """Return the answer as it is kept: the names of the options, then the words."""
        found = self.cleaned_data.get("options")
        numbers = found if isinstance(found, list) else [found] if found else []
        return "\n".join([*named(self.asked, numbers), self.cleaned_data["text"]]).strip()


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def datasheet_page(request: HttpRequest, slug: str) -> HttpResponse:
    standard = _standard(request)
    if request.method != "POST":
        return _page(request, study_for(request.user, slug, Right.WATCH), standard)
    study = study_for(request.user, slug, Right.CONFIGURE)
    asked = {question.number: question for question in standard.questions}.get(request.POST.get("question", ""))
    if asked is None:
        messages.error(request, _("This question does not exist."))
        return _page(request, study, standard, status=422)
    form = AnswerForm(asked, request.POST)
    if not form.is_valid():
        return _page(request, study, standard, form, status=422)
    save_answer(study, asked.number, form.words(), by=signed_in(request.user), now=timezone.now())
    return redirect(f"{reverse('datasheet', args=[study.slug])}?standard={standard.key}#{anchor_of(asked.number)}")


@require_safe
@login_required
def datasheet_file(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    study, standard = study_for(request.user, slug, Right.WATCH), _standard(request)
    content_type, write = FILES[ending]
    with in_language("en"):
        text = write(study, standard, answers_of(_known(study), standard), now=timezone.now())
    return _download(text, content_type, f"{study.slug}-{standard.key}.{ending}")


@require_safe
@login_required
def datasheet_form(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    with in_language("en"):
        known = _known(study)
        text = as_form(known, answers_of(known, HEDS3))
    return _download(text, "application/json", f"{study.slug}-{HEDS3.key}-form.json")


def _download(text: str, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(text, content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _standard(request: HttpRequest) -> Standard:
    found = STANDARDS.get(request.GET.get("standard", DEFAULT.key))
    if found is None:
        raise Http404
    return found


def _page(
    request: HttpRequest, study: Study, standard: Standard, wrong: AnswerForm | None = None, *, status: int = 200
) -> HttpResponse:
    """Show the datasheet; `wrong` is an invalid form, which is shown again with its errors."""
    known, rights = _known(study), rights_in(request.user, study)
    answers, may_write = answers_of(known, standard), Right.CONFIGURE in rights
    rows = {
        answer.number: _row(known, standard.question(answer.number), answer, wrong, may_write=may_write)
        for answer in answers
    }
    sections = [
        (number, name, [rows[answer.number] for answer in part]) for number, name, part in by_section(standard, answers)
    ]
    context = {
        "study": study,
        "rights": rights,
        "sections": sections,
        "counts": counts_of(answers),
        "standard": standard,
        "standards": STANDARDS.values(),
        "form": wrong,
    }
    return render(request, "reporting/datasheet/datasheet.html", context, status=status)


def _row(
    known: Known, question: DatasheetQuestion, answer: Answer, wrong: AnswerForm | None, *, may_write: bool
) -> dict[str, Any]:
    anchor, is_wrong = anchor_of(answer.number), wrong is not None and wrong.asked == question
    form = wrong if is_wrong else None
    if form is None and may_write:
        form = AnswerForm(question, initial=_initial(known, question, answer), auto_id=f"{anchor}-%s")
    names = [] if question.has_choice else [_(option.text) for option in question.options]
    return {"answer": answer, "anchor": anchor, "form": form, "is_wrong": is_wrong, "names": names}


def _initial(known: Known, question: DatasheetQuestion, answer: Answer) -> dict[str, Any]:
    """Return what is written, or the options that the database chose: words beside them replace only its words."""
    numbers: list[int] = []
    words = ""
    if answer.origin == WRITTEN and not answer.written_for:
        numbers, words = chosen(question, answer.text) if question.has_choice else ([], answer.text)
    elif answer.origin == DATABASE and question.has_choice and question.pick:
        numbers = PICKS[question.pick](known).get("", [])
    options = numbers if question.kind == Kind.SEVERAL else next(iter(numbers), None)
    return {"question": answer.number, "options": options, "text": words}


def _known(study: Study) -> Known:
    return known_of(study, open_report(study, now=timezone.now()), people_of(study))


def anchor_of(number: str) -> str:
    return f"q-{number.replace('.', '-')}"
