"""The administration: its sign-in is the one of all pages, and accounts that may edit protocols get in beside staff."""

from allauth.account.decorators import secure_admin_login
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _


class Administration(AdminSite):
    """Each of its pages asks for a permission of its own: to get in is to see nothing yet."""

    site_header = site_title = "Parley"
    index_title = _("Administration")

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return user.is_active and (user.is_staff or user.has_perm("protocols.change_protocolversion"))

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        return secure_admin_login(super().login)(request, extra_context)
