"""Addresses of adjudication and the case library, below /studies/<slug>/adjudication/."""

from django.urls import path

from qualification.adjudication.views import cases, disagreements

urlpatterns = [
    path("<slug:slug>/adjudication/", disagreements.adjudication, name="adjudication"),
    path("<slug:slug>/adjudication/split/", disagreements.split_votes, name="split_votes"),
    path("<slug:slug>/adjudication/plan/", disagreements.adjudication_plan, name="adjudication_plan"),
    path("<slug:slug>/adjudication/disagreements/<int:pk>/", disagreements.disagreement, name="disagreement"),
    path("<slug:slug>/adjudication/disagreements/<int:pk>/collect/", cases.case_collect, name="case_collect"),
    path("<slug:slug>/adjudication/cases/", cases.cases, name="cases"),
    path("<slug:slug>/adjudication/cases/new/", cases.case_new, name="case_new"),
    path("<slug:slug>/adjudication/cases/<int:pk>/", cases.case_edit, name="case_edit"),
    path("<slug:slug>/adjudication/cases/<int:pk>/shelf/", cases.case_shelf, name="case_shelf"),
    path("<slug:slug>/adjudication/cases/<int:pk>/example/", cases.case_example, name="case_example"),
    path("<slug:slug>/adjudication/cases/<int:pk>/training/", cases.case_training, name="case_training"),
]
