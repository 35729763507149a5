from django.urls import path

from reporting.planner import views

urlpatterns = [
    path("<slug:slug>/planner/", views.planner, name="planner"),
    path("<slug:slug>/planner.json", views.planner_json, name="planner_json"),
]
