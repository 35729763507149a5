"""Pages of studies: list, creation, overview, settings, status, dialogues and batches."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, may_create_studies, signed_in, studies_of, study_for
from annotation.forms import BatchStatusForm, DialogueFilter, DiscardForm, RemoveDialoguesForm, StatusForm, StudyForm
from annotation.forms_batches import MakeBatchesForm
from annotation.models import Batch, Study
from annotation.selectors import studies as selectors
from annotation.selectors.batch_sizes import n_conversations, sizes_of
from annotation.selectors.dialogues import dialogue_list, has_turns, unused_dialogues, uses_of
from annotation.selectors.fitting_version import fitting_words
from annotation.selectors.health import worker_is_silent
from annotation.selectors.imported_batches import imported_only, names_of, nothing_to_deal
from annotation.selectors.pilots import pilots_to_repeat
from annotation.selectors.texts import text_sample
from annotation.selectors.waiting import rates_only_wholes, unasked_words, unbatched_count
from annotation.services import batching
from annotation.services import studies as services
from annotation.services.dialogues import remove_dialogues
from annotation.services.discarding import discard_drafts
from annotation.services.pairing import identical_words
from annotation.services.repeating import repeat_pilot
from annotation.views.pages import announced, errors_in, page_of, study_page


@login_required
@require_safe
def study_list(request: HttpRequest) -> HttpResponse:
    page = page_of(request, selectors.study_list(studies_of(request.user), request.user.pk))
    context = {"page": page, "may_create": may_create_studies(request.user)}
    return render(request, "annotation/studies.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: HttpRequest) -> HttpResponse:
    if not may_create_studies(request.user):
        raise PermissionDenied(_("Your account may not create studies. Ask an administrator."))
    form = StudyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            study = services.create_study(owner=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("The study has been created. The list below shows the next steps."))
            return redirect("study", study.slug)
    context = {"form": form, "versions": selectors.publishable_versions()}
    return render(request, "annotation/study_new.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    numbers = selectors.numbers_of(study)
    steps = selectors.checklist(study, numbers)
    silent = worker_is_silent(timezone.now())
    return study_page(request, study, "annotation/study.html", numbers=numbers, steps=steps, worker_is_silent=silent)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_settings(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = StudyForm(request.POST or None, instance=study)
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            services.update_study(study, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("Settings saved."))
            return redirect("study_settings", slug)
    study.refresh_from_db()  # the form has written its values into this object, valid or not
    status = 422 if form.errors else 200
    context = {"form": form, "sample": text_sample(study), "formats": Study.TextFormat.choices}
    return study_page(request, study, "annotation/study_settings.html", status=status, **context)


@login_required
@require_POST
def study_status(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = StatusForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A study can only be opened or closed."))
    elif form.cleaned_data["status"] == Study.Status.OPEN:
        with announced(request):
            services.open_study(study, by=signed_in(request.user), now=timezone.now())
            _say_who_can_rate(request, study)
    else:
        with announced(request, _("The study is closed: nobody can rate. You can open it again at any time.")):
            services.close_study(study, by=signed_in(request.user), now=timezone.now())
    return redirect("study", slug)


def _say_who_can_rate(request: HttpRequest, study: Study) -> None:
    """Say that annotators can take seats, or what is missing before anybody can, with links to it."""
    lacking = []
    if not study.batches.filter(status=Batch.Status.OPEN).exists():
        place = reverse("study_batches", args=[study.slug])
        lacking.append((_('No batch is open: <a href="{url}">open batches</a>.'), place))
    if not study.is_joinable and not study.participants.exists():
        place = reverse("study_people", args=[study.slug])
        lacking.append((_('Nobody is invited: <a href="{url}">add people or turn on the invitation link</a>.'), place))
    if not lacking:
        messages.success(request, _("The study is open: annotators can take seats in its open batches."))
        return
    said = format_html_join("", " {}", ((format_html(text, url=place),) for text, place in lacking))
    messages.warning(request, format_html("{}{}", _("The study is open, but nobody can rate yet."), said))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_batches(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.IMPORT)
    form = MakeBatchesForm(
        request.POST or None,
        fields=selectors.metadata_fields(study),
        pilots=pilots_to_repeat(study),
        is_comparing=batching.Unit.COMPARISON in batching.units_of(study),
        sizes=sizes_of(study),
        initial={"kind": request.GET.get("kind", Batch.Kind.MAIN)},
    )
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            _say_made(request, study, form)
            return redirect("study_batches", slug)
    named = request.GET.get("batch", "").replace("\x00", "")
    page = page_of(request, selectors.batch_list(study, named))
    context = {
        "form": form,
        "discard_form": DiscardForm(),
        "page": page,
        "conversations": n_conversations(page) if has_turns(study.pk) and not rates_only_wholes(study) else {},
        "named": named,
        "n_unbatched": unbatched_count(study),
        "unasked": unasked_words(study),
        "fitting": fitting_words(study),
        "n_drafts": study.batches.filter(status=Batch.Status.DRAFT).count(),
        "is_form_open": bool(form.errors) or "kind" in request.GET or not study.batches.exists(),
    }
    status = 422 if form.errors else 200
    return study_page(request, study, "annotation/batches.html", status=status, **context)


def _say_made(request: HttpRequest, study: Study, form: MakeBatchesForm) -> None:
    """Make the batches and say which, or warn that there was nothing to deal."""
    now, by = timezone.now(), signed_in(request.user)
    if form.repeated:
        given = {name: form.cleaned_data[name] for name in ("kind", "seats")}
        batch = repeat_pilot(study, pilot=form.repeated, **given, actor=by, now=now)
        text = _("%(key)s has been made. It shows the same as %(pilot)s. Open it when you are ready.")
        messages.success(request, text % {"key": batch.key, "pilot": form.repeated})
        return
    made = batching.make_batches(study, actor=by, now=now, **form.arguments())
    if not made:
        kind, is_fresh_only = form.cleaned_data["kind"], form.cleaned_data["is_fresh_only"]
        messages.warning(request, nothing_to_deal(study, kind, is_fresh_only=is_fresh_only))
        return
    text = ngettext(
        "%(n)s batch has been made. Open it when you are ready.",
        "%(n)s batches have been made. Open them when you are ready.",
        len(made),
    )
    messages.success(request, " ".join(filter(None, (text % {"n": len(made)}, identical_words(made)))))


@login_required
@require_safe
def study_dialogues(request: HttpRequest, slug: str) -> HttpResponse:
    """List the dialogues and their uses."""
    study = study_for(request.user, slug, Right.IMPORT)
    form = DialogueFilter(request.GET)
    asked = form.cleaned_data if form.is_valid() else {}
    page = page_of(request, dialogue_list(study, **asked))
    uses = uses_of(page)
    shown = unused_dialogues(study).filter(pk__in=[dialogue.pk for dialogue in page])
    unused = set(shown.values_list("pk", flat=True))
    rows = [(dialogue, uses[dialogue.pk], dialogue.pk in unused) for dialogue in page]
    query = f"&{urlencode(asked)}" if any(asked.values()) else ""
    context = {"form": form, "page": page, "rows": rows, "has_unused": bool(unused)}
    return study_page(request, study, "annotation/dialogues.html", status=200, query=query, **context)


@login_required
@require_POST
def study_dialogues_remove(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.IMPORT)
    form = RemoveDialoguesForm(request.POST)
    if not form.is_valid():
        messages.error(request, next(str(text) for texts in form.errors.values() for text in texts))
        return redirect("study_dialogues", slug)
    with announced(request):
        n = remove_dialogues(study, keys=form.cleaned_data["key"], by=signed_in(request.user), now=timezone.now())
        text = ngettext("%(n)s dialogue has been removed.", "%(n)s dialogues have been removed.", n)
        messages.success(request, text % {"n": n})
    return redirect("study_dialogues", slug)


@login_required
@require_POST
def study_batches_status(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    form = BatchStatusForm(request.POST, study=study)
    if not form.is_valid():
        messages.error(request, _("Tick the batches to open or to close."))
        return redirect("study_batches", slug)
    status, by = form.cleaned_data["status"], signed_in(request.user)
    with announced(request):
        imported = list(imported_only(study.batches.filter(key__in=form.keys)).exclude(status=status))
        n = services.set_batch_status(study, keys=form.keys, status=status, by=by, now=timezone.now())
        text = ngettext(
            "%(n)s batch is now closed. Annotators who have started it may finish it.",
            "%(n)s batches are now closed. Annotators who have started one may finish it.",
            n,
        )
        if status == Batch.Status.OPEN:
            text = ngettext("%(n)s batch is now open.", "%(n)s batches are now open.", n)
        said = [text % {"n": n}]
        if imported and status == Batch.Status.OPEN:
            text = _("Free seats beside those of imported annotators: %(seats)s in each of %(batches)s.")
            said.append(text % {"seats": study.seats, "batches": names_of(imported)})
        messages.success(request, " ".join(said))
    return redirect("study_batches", slug)


@login_required
@require_POST
def study_batches_discard(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.IMPORT)
    form = DiscardForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(text) for texts in form.errors.values() for text in texts))
        return redirect("study_batches", slug)
    keys = form.cleaned_data["key"]
    text = _("Discarded: %(keys)s. The dialogues are free for other batches.")
    with announced(request, text % {"keys": ", ".join(keys)}):
        discard_drafts(study, keys=keys, by=signed_in(request.user), now=timezone.now())
    return redirect("study_batches", slug)
