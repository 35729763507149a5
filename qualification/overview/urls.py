from django.urls import path

from qualification.overview import views

urlpatterns = [path("<slug:slug>/quality/", views.quality, name="quality")]
