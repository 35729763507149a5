from django.urls import path

from reporting.views import board, datasheet, exports, planner, predictions, report, report_figures

urlpatterns = [
    path("<slug:slug>/board/", board.board, name="board"),
    path("<slug:slug>/board/fragment/", board.board_fragment, name="board_fragment"),
    path("<slug:slug>/board/quality/", board.board_quality, name="board_quality"),
    path("<slug:slug>/board/quality/fragment/", board.board_quality_fragment, name="board_quality_fragment"),
    path("<slug:slug>/report/", report.report, name="report"),
    path("<slug:slug>/report.json", report.report_json, name="report_json"),
    path("<slug:slug>/report.pdf", report.report_pdf, name="report_pdf"),
    path("<slug:slug>/report.html", report.report_html, name="report_html"),
    path("<slug:slug>/report.tex", report.report_latex, name="report_latex"),
    path("<slug:slug>/report.xlsx", report.report_xlsx, name="report_xlsx"),
    path("<slug:slug>/report/<slug:table>.csv", report.report_csv, name="report_csv"),
    path("<slug:slug>/report/figures/<slug:figure>.svg", report_figures.figure_svg, name="report_figure_svg"),
    path("<slug:slug>/report/figures/<slug:figure>.png", report_figures.figure_png, name="report_figure_png"),
    path("<slug:slug>/datasheet/", datasheet.datasheet_page, name="datasheet"),
    path("<slug:slug>/datasheet.md", datasheet.datasheet_markdown, name="datasheet_markdown"),
    path("<slug:slug>/datasheet.json", datasheet.datasheet_json, name="datasheet_json"),
    path("<slug:slug>/predictions/", predictions.predictions, name="predictions"),
    path("<slug:slug>/predictions.csv", predictions.predictions_csv, name="predictions_csv"),
    path(
        "<slug:slug>/predictions-distributions.csv",
        predictions.predictions_distributions,
        name="predictions_distributions",
    ),
    path("<slug:slug>/predictions.json", predictions.predictions_json, name="predictions_json"),
    path(
        "<slug:slug>/predictions/<uuid:token>/<slug:criterion>/",
        predictions.predictions_metric,
        name="predictions_metric",
    ),
    path("<slug:slug>/planner/", planner.planner, name="planner"),
    path("<slug:slug>/planner.json", planner.planner_json, name="planner_json"),
    path("<slug:slug>/exports/", exports.exports, name="exports"),
    path("<slug:slug>/exports/jobs/", exports.export_jobs, name="export_jobs"),
    path("<slug:slug>/exports/<uuid:token>/", exports.export_file, name="export_file"),
]
