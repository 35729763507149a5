"""Show quality control in the admin, read-only: rows are made and changed on the pages of a study."""

from django.apps import apps
from django.contrib import admin

from annotation.admin_base import ReadOnly
from qualification import models


class Reading(ReadOnly):
    """List the short name of each row; the row's own page has every column."""

    list_per_page = 50
    list_select_related = True


# Sweeps note in these how far they have looked, which says nothing about a study.
NOTES = {models.PayMark, models.SignalMark, models.SignalState}

for model in apps.get_app_config("qualification").get_models():
    if model not in NOTES:
        admin.site.register(model, Reading)
