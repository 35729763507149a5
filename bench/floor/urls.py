from django.urls import path

from bench.floor import views

urlpatterns = [path("healthz", views.healthz), path("answers/", views.answers)]
