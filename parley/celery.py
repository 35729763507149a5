"""The Celery app, whose tasks call services at set times. Its settings and their reasons are in parley/settings.py."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "parley.settings")

app = Celery("parley")
# Read when first needed, not here: importing the package must not read the settings.
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
