from django.apps import AppConfig


class ProtocolsConfig(AppConfig):
    name = "protocols"
    verbose_name = "Protocols"
