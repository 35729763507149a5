"""Below /studies/: who and what passes."""

from django.urls import URLPattern

from qualification.urls_casebook import urlpatterns as casebook
from qualification.urls_checks import urlpatterns as checks
from qualification.urls_control import urlpatterns as control
from qualification.urls_flagged_items import urlpatterns as flagged_items
from qualification.urls_gate import urlpatterns as gate
from qualification.urls_pay import urlpatterns as pay
from qualification.urls_recruitment import urlpatterns as recruitment

urlpatterns: list[URLPattern] = [*casebook, *checks, *control, *flagged_items, *gate, *pay, *recruitment]
