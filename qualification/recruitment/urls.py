from django.urls import path

from qualification.recruitment.views import settings as views

urlpatterns = [
    path("<slug:slug>/recruitment/", views.recruitment, name="recruitment"),
    path("<slug:slug>/recruitment/approvals.csv", views.approvals, name="recruitment_approvals"),
    path("<slug:slug>/recruitment/bonuses.csv", views.bonuses, name="recruitment_bonuses"),
    path("<slug:slug>/recruitment/bonuses/paid/", views.bonuses_paid, name="recruitment_paid"),
    path("<slug:slug>/recruitment/demographics/", views.demographics, name="recruitment_demographics"),
    path("<slug:slug>/recruitment/demographics.csv", views.demographics_file, name="recruitment_demographics_csv"),
    path("<slug:slug>/recruitment/demographics/<uuid:token>/delete/", views.forget, name="recruitment_forget"),
]
