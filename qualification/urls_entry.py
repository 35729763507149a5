"""Below /: the way in by a crowd platform, and the way out."""

from django.urls import path

from qualification.views import entry as views

urlpatterns = [
    path("enter/<str:token>/<slug:provider>/", views.enter, name="enter"),
    path("finish/<slug:slug>/", views.finish, name="entry_end"),
    path("about-you/<slug:slug>/", views.about_you, name="about_you"),
]
