"""Routes below /work/, which annotators use."""

from django.urls import path

from annotation.views import guidelines, past, review, submitting, work

urlpatterns = [
    path("", work.work_list, name="work"),
    path("claim/<uuid:token>/", work.claim, name="claim"),
    path("welcome/<slug:slug>/", work.welcome, name="welcome"),
    path("consent/<slug:slug>/", work.consent, name="consent"),
    path("guidelines/<slug:slug>/", guidelines.guidelines, name="guidelines"),
    path("guidelines/<slug:slug>/guidelines.pdf", guidelines.guidelines_pdf, name="guidelines_pdf"),
    path("past/<slug:slug>/", past.past_batches, name="past_batches"),
    path("briefed/<slug:slug>/", work.briefed, name="briefed"),
    path("<uuid:token>/", work.rate_start, name="rate_start"),
    path("<uuid:token>/items/", review.work_items, name="work_items"),
    path("<uuid:token>/items/list/", submitting.item_list, name="item_list"),
    path("<uuid:token>/answers/", past.past_batch, name="past_batch"),
    path("<uuid:token>/submit/", submitting.submit, name="submit"),
    path("<uuid:token>/thanks/", submitting.thanks, name="thanks"),
    path("<uuid:token>/<int:position>/", work.rate_dialogue, name="rate_dialogue"),
    path("<uuid:token>/<int:position>/open/", work.open_page, name="rate_open"),
    path("<uuid:token>/<int:position>/<int:number>/", work.rate, name="rate"),
]
