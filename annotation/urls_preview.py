"""Below /protocols/: a protocol as annotators would see it. The converter is registered by protocols.urls."""

from django.urls import path

from annotation.views.preview import protocol_preview

urlpatterns = [path("<slug:slug>/<version_name:version>/preview/", protocol_preview, name="protocol_preview")]
