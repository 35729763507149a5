from django.urls import path

from reporting.api import StudyAgreementView, StudyReportView
from reporting.exports.api import ExportFileView, ExportFormatsView, ExportsView, ExportView

urlpatterns = [
    path("studies/<slug:slug>/agreement/", StudyAgreementView.as_view(), name="api_study_agreement"),
    path("studies/<slug:slug>/report/", StudyReportView.as_view(), name="api_study_report"),
    path("studies/<slug:slug>/exports/", ExportsView.as_view(), name="api_exports"),
    path("studies/<slug:slug>/exports/formats/", ExportFormatsView.as_view(), name="api_export_formats"),
    path("studies/<slug:slug>/exports/<uuid:token>/", ExportView.as_view(), name="api_export"),
    path("studies/<slug:slug>/exports/<uuid:token>/file/", ExportFileView.as_view(), name="api_export_file"),
]
