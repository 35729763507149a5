from django.urls import path

from reporting.exports import views

urlpatterns = [
    path("<slug:slug>/exports/", views.exports, name="exports"),
    path("<slug:slug>/exports/jobs/", views.export_jobs, name="export_jobs"),
    path("<slug:slug>/exports/<uuid:token>/", views.export_file, name="export_file"),
]
