"""Below /protocols/: editing drafts. The converter is registered by protocols.urls, which includes this."""

from django.urls import path

from protocols.views import editor

urlpatterns = [path("<slug:slug>/<version_name:version>/edit/", editor.protocol_edit, name="protocol_edit")]
