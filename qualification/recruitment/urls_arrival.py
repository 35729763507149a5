"""Addresses below / where people arrive from a crowd platform and return to it."""

from django.urls import path

from qualification.recruitment.views import arrival as views

urlpatterns = [
    path("enter/<str:token>/<slug:provider>/", views.enter, name="enter"),
    path("finish/<slug:slug>/", views.finish, name="entry_end"),
    path("about-you/<slug:slug>/", views.about_you, name="about_you"),
]
