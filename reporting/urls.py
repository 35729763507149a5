"""Below /studies/: the pages of each room that reports."""

from django.urls import include, path

ROOMS = ("board", "report", "chart_files", "datasheet", "predictions", "planner", "exports")

urlpatterns = [path("", include(f"reporting.{room}.urls")) for room in ROOMS]
