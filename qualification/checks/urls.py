from django.urls import path

from qualification.checks import views

urlpatterns = [
    path("<slug:slug>/checks/", views.checks, name="checks"),
    path("<slug:slug>/checks/settings/", views.checks_settings, name="checks_settings"),
    path("<slug:slug>/checks/known-answers/", views.known_answers_import, name="known_answers_import"),
    path("<slug:slug>/checks/panel/", views.known_answers_panel, name="known_answers_panel"),
    path("<slug:slug>/checks/insert/", views.checks_insert, name="checks_insert"),
    path("<slug:slug>/checks/<int:pk>/", views.flag_decide, name="flag_decide"),
]
