"""Below /studies/: the pages of each room of quality control."""

from django.urls import include, path

ROOMS = (
    "overview", "qualifying", "acceptance", "adjudication", "flagged_items", "checks", "recruitment", "pay", "pilot",
    "activity",
)  # fmt: skip

urlpatterns = [path("", include(f"qualification.{room}.urls")) for room in ROOMS]
