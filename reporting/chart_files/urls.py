from django.urls import path

from reporting.chart_files.views import download

urlpatterns = [
    path("<slug:slug>/report/figures/<slug:figure>.svg", download, {"suffix": "svg"}, name="report_figure_svg"),
    path("<slug:slug>/report/figures/<slug:figure>.png", download, {"suffix": "png"}, name="report_figure_png"),
]
