from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QualificationConfig(AppConfig):
    name = "qualification"
    verbose_name = _("Quality control")
    default_auto_field = "django.db.models.BigAutoField"
