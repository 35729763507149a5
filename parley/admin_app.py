"""The app of the administration. It is apart from the site, which cannot be imported before all apps are loaded."""

from django.contrib.admin.apps import AdminConfig


class AdministrationConfig(AdminConfig):
    default_site = "parley.administration.Administration"
