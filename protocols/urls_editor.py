"""Addresses below /protocols/ for editing drafts. protocols.urls includes this and registers the converter."""

from django.urls import path

from protocols.views import editor

urlpatterns = [path("<slug:slug>/<version_name:version>/edit/", editor.protocol_edit, name="protocol_edit")]
