from django.urls import path

from reporting.views import board, report

urlpatterns = [
    path("<slug:slug>/board/", board.board, name="board"),
    path("<slug:slug>/board/fragment/", board.board_fragment, name="board_fragment"),
    path("<slug:slug>/report/", report.report, name="report"),
    path("<slug:slug>/report.json", report.report_json, name="report_json"),
    path("<slug:slug>/report.pdf", report.report_pdf, name="report_pdf"),
    path("<slug:slug>/report/<slug:table>.csv", report.report_csv, name="report_csv"),
]
