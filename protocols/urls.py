"""Addresses below /protocols/."""

from django.urls import include, path, register_converter
from django.urls.converters import StringConverter

from protocols.views import library


class VersionName(StringConverter):
    """A version name, also one that only the admin allows for a draft; PostgreSQL fails on NUL."""

    regex = r"[^/\x00]+"


register_converter(VersionName, "version_name")

urlpatterns = [
    path("", library.protocol_list, name="protocols"),
    path("new/", library.protocol_new, name="protocol_new"),
    path("import/", library.protocol_import, name="protocol_import"),
    path("compare/", library.protocol_compare, name="protocol_compare"),
    path("<slug:slug>/<version_name:version>/", library.protocol_version, name="protocol_version"),
    path("<slug:slug>/<version_name:version>/publish/", library.protocol_publish, name="protocol_publish"),
    path("<slug:slug>/<version_name:version>/retire/", library.protocol_retire, name="protocol_retire"),
    path("<slug:slug>/<version_name:version>/draft/", library.protocol_draft, name="protocol_draft"),
    path("<slug:slug>/<version_name:version>/export/<slug:kind>/", library.protocol_export, name="protocol_export"),
    path("", include("protocols.urls_editor")),
]
