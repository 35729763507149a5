from django.apps import AppConfig

from parley.table_names import translate_names


class ParleyConfig(AppConfig):
    name = "parley"

    def ready(self) -> None:
        translate_names()
