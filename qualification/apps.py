from django.apps import AppConfig


class QualificationConfig(AppConfig):
    name = "qualification"
    default_auto_field = "django.db.models.BigAutoField"
