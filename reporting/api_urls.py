from django.urls import path

from reporting.api import StudyAgreementView, StudyReportView

urlpatterns = [
    path("studies/<slug:slug>/agreement/", StudyAgreementView.as_view(), name="api_study_agreement"),
    path("studies/<slug:slug>/report/", StudyReportView.as_view(), name="api_study_report"),
]
