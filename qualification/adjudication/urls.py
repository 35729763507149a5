"""Below /studies/<slug>/casebook/: labels that two confirm, and what the team learned from disagreeing."""

from django.urls import path

from qualification.adjudication.views import cases, disagreements

urlpatterns = [
    path("<slug:slug>/casebook/", disagreements.casebook, name="casebook"),
    path("<slug:slug>/casebook/split/", disagreements.split_votes, name="split_votes"),
    path("<slug:slug>/casebook/plan/", disagreements.casebook_plan, name="casebook_plan"),
    path("<slug:slug>/casebook/disagreements/<int:pk>/", disagreements.disagreement, name="disagreement"),
    path("<slug:slug>/casebook/disagreements/<int:pk>/collect/", cases.case_collect, name="case_collect"),
    path("<slug:slug>/casebook/cases/", cases.cases, name="cases"),
    path("<slug:slug>/casebook/cases/new/", cases.case_new, name="case_new"),
    path("<slug:slug>/casebook/cases/<int:pk>/", cases.case_edit, name="case_edit"),
    path("<slug:slug>/casebook/cases/<int:pk>/shelf/", cases.case_shelf, name="case_shelf"),
    path("<slug:slug>/casebook/cases/<int:pk>/example/", cases.case_example, name="case_example"),
    path("<slug:slug>/casebook/cases/<int:pk>/training/", cases.case_training, name="case_training"),
]
