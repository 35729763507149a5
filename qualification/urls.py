"""Addresses of the parts of quality control, below /studies/."""

from django.urls import include, path

ROOMS = (
    "overview", "qualifying", "acceptance", "adjudication", "flagged_items", "checks", "recruitment", "pay", "pilot",
    "activity",
)  # fmt: skip

urlpatterns = [path("", include(f"qualification.{room}.urls")) for room in ROOMS]
