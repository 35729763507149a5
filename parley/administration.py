"""The administration site. It uses the sign-in of all other pages; staff and protocol editors can enter it."""

from allauth.account.decorators import secure_admin_login
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _


class Administration(AdminSite):
    """The site. Each of its pages checks its own permission, so entering the site alone shows nothing."""

    site_header = site_title = "Parley"
    index_title = _("Administration")

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return user.is_active and (user.is_staff or user.has_perm("protocols.change_protocolversion"))

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        return secure_admin_login(super().login)(request, extra_context)
