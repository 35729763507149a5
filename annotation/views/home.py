from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.access import may_create_studies, studies_of


def home(request: HttpRequest) -> HttpResponse:
    """Everybody is led to what they came for."""
    if not request.user.is_authenticated:
        return render(request, "annotation/home.html")
    leads_studies = studies_of(request.user).exists() or may_create_studies(request.user)
    return redirect("studies" if leads_studies else "work")
