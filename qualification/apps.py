from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QualificationConfig(AppConfig):
    name = "qualification"
    verbose_name = _("Quality control")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.services.importing.archive import archive_restored  # models are there only now
        from qualification.services.archive import restore_settled

        archive_restored.connect(restore_settled)
