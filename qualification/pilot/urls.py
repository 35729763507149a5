from django.urls import path

from qualification.pilot import views

urlpatterns = [
    path("<slug:slug>/pilot/", views.pilot, name="pilot"),
    path("<slug:slug>/pilot/items.csv", views.pilot_items, name="pilot_items"),
    path("<slug:slug>/pilot/panel/", views.pilot_panel, name="pilot_panel"),
    path("<slug:slug>/pilot/take/", views.pilot_take, name="pilot_take"),
]
