"""Addresses of the qualification below /work/, for candidates."""

from django.urls import path

from qualification.qualifying.views import training

urlpatterns = [
    path("qualification/<slug:slug>/", training.qualification_state, name="qualification_state"),
    path("qualification/<slug:slug>/questions/", training.comprehension, name="comprehension"),
    path("<uuid:token>/<int:position>/<int:number>/why/", training.training_answer, name="training_answer"),
]
