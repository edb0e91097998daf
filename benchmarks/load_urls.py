"""The server's addresses, and ``/empty/``, which passes every middleware and returns two bytes."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


@login_not_required
def empty(request: HttpRequest) -> HttpResponse:
    """Return next to nothing."""
    return HttpResponse("ok")


urlpatterns = [path("empty/", empty), path("", include("dashboard.config.urls"))]
