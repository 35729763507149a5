"""Pay, the log and the pilot, below /studies/."""

from django.urls import path

from qualification.views import activity, pay, pilot

urlpatterns = [
    path("<slug:slug>/pay/", pay.pay, name="pay"),
    path("<slug:slug>/pay/ledger.csv", pay.pay_csv, name="pay_csv"),
    path("<slug:slug>/pay/paid/", pay.pay_paid, name="pay_paid"),
    path("<slug:slug>/pay/<uuid:token>/", pay.pay_annotator, name="pay_annotator"),
    path("<slug:slug>/pay/<uuid:token>/bonus/", pay.pay_bonus, name="pay_bonus"),
    path("<slug:slug>/pay/<uuid:token>/correction/", pay.pay_correction, name="pay_correction"),
    path("<slug:slug>/activity/", activity.activity, name="activity"),
    path("<slug:slug>/activity/<str:format>/", activity.activity_file, name="activity_file"),
    path("<slug:slug>/pilot/", pilot.pilot, name="pilot"),
    path("<slug:slug>/pilot/items.csv", pilot.pilot_items, name="pilot_items"),
    path("<slug:slug>/pilot/panel/", pilot.pilot_panel, name="pilot_panel"),
    path("<slug:slug>/pilot/take/", pilot.pilot_take, name="pilot_take"),
]
