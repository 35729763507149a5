"""Apart from the site itself, which cannot be imported before all apps are there."""

from django.contrib.admin.apps import AdminConfig


class AdministrationConfig(AdminConfig):
    default_site = "parley.administration.Administration"
