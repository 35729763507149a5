from django.urls import path

from qualification.flagged_items import views

urlpatterns = [
    path("<slug:slug>/quality/flagged/", views.flagged_items, name="flagged_items"),
    path("<slug:slug>/quality/flagged/new/", views.flagged_fragment, name="flagged_fragment"),
    path("<slug:slug>/quality/flagged/<uuid:token>/", views.flagged_item, name="flagged_item"),
]
