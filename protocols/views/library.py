"""The list of protocols, the page of a version, and the actions on that page."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from protocols import selectors, services
from protocols.access import require_editor, version_for
from protocols.bundles import (
    Bundle,
    canonical_json,
    check_bundle,
    complete_bundle,
    dump_bundle,
    load_bundle,
    readable_json,
    readable_yaml,
)
from protocols.editing import revision_of
from protocols.forms import (
    CompareForm,
    CopyForm,
    ImportForm,
    NewDraftForm,
    PublishForm,
    RetireForm,
    ScratchForm,
    SearchForm,
    at_its_fault,
    cited,
)
from protocols.linting import lint, untranslated
from protocols.models import Criterion, Option, Protocol, ProtocolVersion
from protocols.rendering import render_markdown
from protocols.schema import BundleError, InvalidBundle, with_defaults
from protocols.translating import language_name, languages_of
from protocols.views.comparing import compared

ROWS = 30
FEW = 10  # with no more protocols, there is no search box
MOST_ERRORS = 200  # a page of a hundred thousand helps nobody
PLACE = re.compile(r"criteria\[(\d+)\](?:\.options\[(\d+)\])?")
Status = ProtocolVersion.Status
PUBLISHED: Mapping[str, Any] = {
    Status.PUBLISHED: gettext_lazy("%(version)s is published and can no longer be changed."),
    Status.RETIRED: gettext_lazy("%(version)s is retired. Studies that use it keep it unchanged."),
}
IMPORTED: Mapping[str, Any] = {
    Status.DRAFT: gettext_lazy("%(version)s was imported as a draft."),
    Status.PUBLISHED: gettext_lazy("%(version)s was imported and published."),
}
FOUND: Mapping[str, Any] = {
    Status.DRAFT: gettext_lazy("%(version)s already exists here as a draft with the same contents. Nothing was added."),
    Status.PUBLISHED: gettext_lazy(
        "%(version)s already exists here as a published version with the same contents. Nothing was added."
    ),
    Status.RETIRED: gettext_lazy(
        "%(version)s already exists here as a retired version with the same contents. Nothing was added."
    ),
}


# --- the list ----------------------------------------------------------------------------------------
@login_required
@require_safe
def protocol_list(request: HttpRequest) -> HttpResponse:
    require_editor(request.user)
    form = SearchForm(request.GET)
    search = form.cleaned_data["q"] if form.is_valid() else ""
    page = Paginator(selectors.protocol_list(search), ROWS).get_page(request.GET.get("page"))
    has_search = bool(search) or page.paginator.count > FEW
    return render(request, "protocols/list.html", {"page": page, "search": search, "has_search": has_search})


# --- one version -------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class CriterionWithFaults:
    """A criterion with its faults, and its options with theirs."""

    row: Criterion
    faults: list[BundleError]
    options: list[tuple[Option, list[BundleError]]]


@dataclass(frozen=True, slots=True)
class Language:
    """A language: `missing` of `n` texts have no translation. None if the version has faults: texts are not counted."""

    code: str
    name: str
    missing: int | None
    n: int


@login_required
@require_safe
def protocol_version(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    return version_page(request, version_for(request.user, slug, version))


def version_page(request: HttpRequest, version: ProtocolVersion, *, status: int = 200, **forms: Any) -> HttpResponse:
    doc = dump_bundle(version)
    faults = check_bundle(doc)
    full = None if faults else complete_bundle(doc)
    context = {
        "version": version,
        "protocol": version.protocol,
        "cited": cited(version),
        "faults": faults,
        "faults_elsewhere": _faults_at(faults, None),
        "warnings": [] if full is None else lint(full),
        "languages": [
            Language(code, language_name(code), *((None, 0) if full is None else untranslated(full, code)))
            for code in languages_of(version)
        ],
        "questions": [
            CriterionWithFaults(
                row,
                _faults_at(faults, number),
                [(option, _faults_at(faults, number, place)) for place, option in enumerate(row.options.all())],
            )
            for number, row in enumerate(version.criteria.prefetch_related("options__explanations", "examples"))
        ],
        "units": dict.fromkeys((version.unit, *(each["unit"] for each in doc["criteria"] if each.get("unit")))),
        "history": list(selectors.history_of(version.protocol)),
        "guidelines": [render_markdown(text) for text in (version.guidelines_short, version.guidelines) if text],
        "revision": revision_of(with_defaults(doc)),
        "publish_form": PublishForm(),
        "retire_form": RetireForm(),
        "draft_form": NewDraftForm(initial={"version_name": selectors.next_version_name(version)}),
    }
    return render(request, "protocols/version.html", context | forms, status=status)


def _faults_at(faults: list[BundleError], *place: int | None) -> list[BundleError]:
    wanted = (*place, None)[:2]
    return [fault for fault in faults if _place_of(fault.path) == wanted]


def _place_of(path: str) -> tuple[int | None, int | None]:
    """Return (number of the criterion, number of its option) from a path; None for what it does not name."""
    found = PLACE.match(path)
    if found is None:
        return None, None
    return int(found[1]), None if found[2] is None else int(found[2])


@login_required
@require_POST
def protocol_publish(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    found = version_for(request.user, slug, version)
    form, read = PublishForm(request.POST), request.POST.get("revision", "")
    if not form.is_valid():
        return version_page(request, found, status=422, publish_form=at_its_fault(form), revision=read)
    try:
        published = services.publish_version(found, now=timezone.now(), made_from=read)
    except InvalidBundle:
        return version_page(request, found, status=422, is_refused=True, revision=read)
    except services.ChangedMeanwhile as changed:
        now = version_for(request.user, slug, version)
        return version_page(request, now, status=409, changed=str(changed))
    messages.success(request, PUBLISHED[published.status] % {"version": published})
    return redirect("protocol_version", slug, version)


@login_required
@require_POST
def protocol_retire(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    found, form = version_for(request.user, slug, version), RetireForm(request.POST)
    if found.status == Status.PUBLISHED and not form.is_valid():
        return version_page(request, found, status=422, retire_form=at_its_fault(form))
    try:
        retired = services.retire_version(found)
    except services.NotPublished as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("%(version)s is retired: new studies cannot use it.") % {"version": retired})
    return redirect("protocol_version", slug, version)


@login_required
@require_POST
def protocol_draft(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    found = version_for(request.user, slug, version)
    form = NewDraftForm(request.POST)
    if form.is_valid():
        try:
            draft = services.new_draft(found, version_name=form.cleaned_data["version_name"], now=timezone.now())
        except InvalidBundle as refusal:
            form.add_refusal(refusal)
        else:
            said = _("%(draft)s is a draft with the contents of %(version)s.")
            messages.success(request, said % {"draft": draft, "version": found})
            return redirect(editor_of(draft))
    return version_page(request, found, status=422, draft_form=at_its_fault(form))


def editor_of(draft: ProtocolVersion) -> str:
    """Return the address of a draft's editor, or of the version's page if there is no editor."""
    place = (draft.protocol.slug, draft.version)
    try:
        return reverse("protocol_edit", args=place)
    except NoReverseMatch:
        return reverse("protocol_version", args=place)


# --- as a file ---------------------------------------------------------------------------------------
FORMATS: dict[str, tuple[str, str, Callable[[ProtocolVersion], str | bytes]]] = {
    "yaml": ("application/yaml", "yaml", readable_yaml),
    "json": ("application/json", "json", readable_json),
    "canonical": ("application/json", "canonical.json", lambda version: canonical_json(dump_bundle(version))),
}


@login_required
@require_safe
def protocol_export(request: HttpRequest, slug: str, version: str, kind: str) -> HttpResponse:
    found = version_for(request.user, slug, version)
    if kind not in FORMATS:
        raise Http404(_("No such format."))
    media_type, ending, write = FORMATS[kind]
    try:
        content = write(found)
    except InvalidBundle:  # only what is valid has a canonical form
        return version_page(request, found, status=422, is_refused=True)
    answer = HttpResponse(content, content_type=f"{media_type}; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(True, f"{slug}-{version}.{ending}") or "attachment"
    return answer


# --- two versions ------------------------------------------------------------------------------------
@login_required
@require_safe
def protocol_compare(request: HttpRequest) -> HttpResponse:
    require_editor(request.user)
    form = CompareForm(request.GET if {"a", "b"} & request.GET.keys() else None)
    if not form.is_valid():
        return render(request, "protocols/compare.html", {"form": form}, status=404 if form.is_bound else 200)
    names = [form.cleaned_data[name].partition("@") for name in ("a", "b")]
    before, after = (version_for(request.user, slug, version) for slug, _at, version in names)
    comparison = compared(_comparable(before), _comparable(after))
    context = {"form": form, "before": before, "after": after, "comparison": comparison}
    return render(request, "protocols/compare.html", context)


def _comparable(version: ProtocolVersion) -> Bundle:
    """Return the complete bundle of a version, or its plain document if a draft has faults."""
    doc = dump_bundle(version)
    try:
        return complete_bundle(doc)
    except InvalidBundle:
        return doc


# --- import and creation -----------------------------------------------------------------------------
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def protocol_import(request: HttpRequest) -> HttpResponse:
    require_editor(request.user)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if not form.is_valid():
        return _import_page(request, form, status=422 if form.is_bound else 200)
    action = request.POST.get("action", "check")
    try:
        doc = load_bundle(form.cleaned_data["text"])
        if action == "check":
            version, is_new = services.rehearse_bundle(doc, publish=False, now=timezone.now())
            return _import_page(request, form, checked=version, is_new=is_new, warnings=lint(complete_bundle(doc)))
        version, is_new = services.store_bundle(doc, publish=action == "publish", now=timezone.now())
    except InvalidBundle as refusal:
        return _import_page(request, form, status=422, errors=refusal.errors)
    if is_new:
        messages.success(request, IMPORTED[version.status] % {"version": version})
    else:
        messages.info(request, FOUND[version.status] % {"version": version})
    return redirect("protocol_version", version.protocol.slug, version.version)


def _import_page(
    request: HttpRequest, form: ImportForm, *, status: int = 200, errors: list[BundleError] | None = None, **more: Any
) -> HttpResponse:
    found = errors or []
    context = {"form": form, "errors": found[:MOST_ERRORS], "n_errors": len(found)}
    return render(request, "protocols/import.html", context | more, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def protocol_new(request: HttpRequest) -> HttpResponse:
    require_editor(request.user)
    is_copy = "copy" in request.GET
    data = request.POST if request.method == "POST" else None
    form = CopyForm(data, origin=request.GET["copy"]) if is_copy else ScratchForm(data)
    if form.is_valid():
        try:
            given = dict(form.cleaned_data)
            if is_copy:
                return redirect(editor_of(services.copy_protocol(given.pop("origin"), **given, now=timezone.now())))
            return redirect(editor_of(services.create_protocol(**given, now=timezone.now())))
        except InvalidBundle as refusal:
            form.add_refusal(refusal)
    context = {"form": form, "is_copy": is_copy, "has_versions": Protocol.objects.exists()}
    return render(request, "protocols/new.html", context, status=422 if form.errors else 200)
