import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "parley.settings")
application = get_wsgi_application()
# Import all views before gunicorn forks: otherwise each worker imports them for its first visitor.
get_resolver().url_patterns  # noqa: B018
