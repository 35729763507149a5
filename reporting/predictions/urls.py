from django.urls import path

from reporting.predictions import views

urlpatterns = [
    path("<slug:slug>/predictions/", views.predictions, name="predictions"),
    path("<slug:slug>/predictions.csv", views.predictions_file, {"file": "predictions.csv"}, name="predictions_csv"),
    path(
        "<slug:slug>/predictions-distributions.csv",
        views.predictions_file,
        {"file": "predictions-distributions.csv"},
        name="predictions_distributions",
    ),
    path(
        "<slug:slug>/predictions-people.csv",
        views.predictions_file,
        {"file": "predictions-people.csv"},
        name="predictions_people",
    ),
    path("<slug:slug>/predictions.json", views.predictions_file, {"file": "predictions.json"}, name="predictions_json"),
    path(
        "<slug:slug>/predictions/<uuid:token>/<slug:criterion>/",
        views.predictions_metric,
        name="predictions_metric",
    ),
]
