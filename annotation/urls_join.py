"""Routes below / by which annotators without a password come in."""

from django.urls import path

from annotation.views import devices, join

urlpatterns = [
    path("join/<str:token>/", join.join, name="join"),
    path("return/<str:token>/", join.come_back, name="return"),
    path("continue/", devices.continue_as, name="continue_as"),
]
