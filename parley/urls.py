from django.contrib import admin
from django.urls import include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from annotation.views.devices import sign_out
from annotation.views.home import home
from parley.health import healthz

urlpatterns = [
    path("", home, name="home"),
    path("healthz", healthz, name="healthz"),
    path("language/", require_POST(set_language), name="set_language"),
    path("accounts/logout/", sign_out, name="account_logout"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("protocols/", include("protocols.urls")),
    path("protocols/", include("annotation.urls_preview")),
    path("work/", include("annotation.urls_work")),
    path("work/", include("qualification.qualifying.urls_work")),
    path("", include("annotation.urls_join")),
    path("", include("qualification.recruitment.urls_arrival")),
    path("studies/", include("annotation.urls_studies")),
    path("studies/", include("qualification.urls")),
    path("studies/", include("reporting.urls")),
    path("api/v1/", include("annotation.api.urls")),
    path("api/v1/", include("reporting.api_urls")),
]
