"""The buttons that hide and show the first steps."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dashboard.accounts.services import show_tour
from dashboard.datasets.selectors import visible_datasets


@require_POST
def tour(request: HttpRequest) -> HttpResponse:
    """Hide the first steps and stay on the page, or show them on the list of datasets."""
    shown = request.POST.get("shown") == "yes"
    show_tour(user=request.user, shown=shown)
    if shown and not visible_datasets(request.user).filter(sample=True).exists():
        text = "The first steps lead through the samples, and there are none. Load them in the terminal, in the folder"
        messages.info(request, f"{text} of Cairn: python manage.py loadsamples {request.user.get_username()}")
    there = request.POST.get("next", "")
    return redirect(there if url_has_allowed_host_and_scheme(there, allowed_hosts=None) else "datasets:list")
