"""Below /work/: what annotators use of who and what passes."""

from django.urls import URLPattern

from qualification.urls_gate import work_urlpatterns as gate

urlpatterns: list[URLPattern] = [*gate]
