from django.urls import path

from qualification.pay import views

urlpatterns = [
    path("<slug:slug>/pay/", views.pay, name="pay"),
    path("<slug:slug>/pay/ledger.csv", views.pay_csv, name="pay_csv"),
    path("<slug:slug>/pay/paid/", views.pay_paid, name="pay_paid"),
    path("<slug:slug>/pay/<uuid:token>/", views.pay_annotator, name="pay_annotator"),
    path("<slug:slug>/pay/<uuid:token>/bonus/", views.pay_bonus, name="pay_bonus"),
    path("<slug:slug>/pay/<uuid:token>/correction/", views.pay_correction, name="pay_correction"),
]
