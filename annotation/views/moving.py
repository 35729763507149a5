"""The page that moves a study to another version of its protocol and first shows what that means."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.access import Right, signed_in, study_for
from annotation.services.moving import effect_of_move, move_study
from annotation.services.refusals import Refused
from annotation.views.pages import study_page
from protocols.bundles import dump_bundle
from protocols.diffing import compare_bundles
from protocols.selectors import published_versions


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_protocol(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CONFIGURE)
    versions = [each for each in published_versions(study.protocol_version.protocol) if each != study.protocol_version]
    wanted = request.POST.get("version") or request.GET.get("version", "")
    chosen = next((each for each in versions if each.version == wanted), None)
    if wanted and chosen is None:
        raise Http404("No such published version of this protocol.")
    effect = effect_of_move(study)
    is_understood = "understood" in request.POST or not effect.is_felt
    if request.method == "POST" and chosen is not None and is_understood:
        try:
            move_study(study, chosen, by=signed_in(request.user), now=timezone.now())
        except Refused as refused:
            messages.error(request, refused.message)
            return redirect("study_protocol", study.slug)
        messages.success(request, _("The study now follows %(version)s.") % {"version": chosen})
        return redirect("study", study.slug)
    context: dict[str, Any] = {"versions": versions, "chosen": chosen, "is_refused": request.method == "POST"}
    if chosen is not None:
        changes = compare_bundles(dump_bundle(study.protocol_version), dump_bundle(chosen))
        semantic = [change for change in changes if change.is_semantic]
        context |= {"semantic": semantic, "n_wording": len(changes) - len(semantic), "effect": effect}
    return study_page(
        request, study, "annotation/study_protocol.html", **context, status=422 if context["is_refused"] else 200
    )
