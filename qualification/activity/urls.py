from django.urls import path

from qualification.activity import views

urlpatterns = [
    path("<slug:slug>/activity/", views.activity, name="activity"),
    path("<slug:slug>/activity/<str:format>/", views.activity_file, name="activity_file"),
]
