"""Delete metrics. The pages of `reporting` show their values."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.access import metric_for, signed_in
from annotation.services.metrics import delete_metric
from annotation.views.pages import announced


@login_required
@require_POST
def metric_delete(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    metric = metric_for(request.user, slug, token)
    with announced(request, _("%(name)s no longer appears in any table.") % {"name": metric.name}):
        delete_metric(metric, by=signed_in(request.user), now=timezone.now())
    return redirect("predictions", slug)
