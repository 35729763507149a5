from django.urls import path

from reporting.chart_files import views

urlpatterns = [
    path("<slug:slug>/report/figures/<slug:figure>.svg", views.figure_svg, name="report_figure_svg"),
    path("<slug:slug>/report/figures/<slug:figure>.png", views.figure_png, name="report_figure_png"),
]
