"""As little Django as saves an answer; the database is the one that Parley is measured on."""

import os

from parley.environment import database

SECRET_KEY = "nothing is signed here"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "bench.floor.urls"
WSGI_APPLICATION = "bench.floor.wsgi.application"
MIDDLEWARE: list[str] = []
INSTALLED_APPS: list[str] = []
DATABASES = {"default": database(os.environ["DATABASE_URL"]) | {"CONN_HEALTH_CHECKS": False}}
USE_TZ = True
