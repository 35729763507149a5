from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.access import leads_studies


def home(request: HttpRequest) -> HttpResponse:
    """Redirect signed-in users to their studies or their work; show the home page to everybody else."""
    if not request.user.is_authenticated:
        return render(request, "annotation/home.html")
    return redirect("studies" if leads_studies(request.user) else "work")
