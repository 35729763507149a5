"""Route below /protocols/ to the preview of a protocol. protocols.urls registers the converter."""

from django.urls import path

from annotation.views.preview import protocol_preview

urlpatterns = [path("<slug:slug>/<version_name:version>/preview/", protocol_preview, name="protocol_preview")]
