from django.urls import path

from reporting.report import views

urlpatterns = [
    path("<slug:slug>/report/", views.report, name="report"),
    path("<slug:slug>/report/state/", views.report_state, name="report_state"),
    path("<slug:slug>/report.json", views.report_json, name="report_json"),
    path("<slug:slug>/report.pdf", views.report_pdf, name="report_pdf"),
    path("<slug:slug>/report.html", views.report_html, name="report_html"),
    path("<slug:slug>/report.tex", views.report_latex, name="report_latex"),
    path("<slug:slug>/report.xlsx", views.report_xlsx, name="report_xlsx"),
    path("<slug:slug>/report/<slug:table>.<slug:ending>", views.report_table, name="report_table"),
]
