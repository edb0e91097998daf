"""``/docs/``: the documentation, as `make docs` builds it, for everyone."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.static import serve

NOT_BUILT = {
    "title": "Documentation",
    "heading": "The documentation is not built here",
    "text": "Run make docs in the checkout, and open this page again. An installed package has it.",
}


@login_not_required
@require_safe
def documentation(request: HttpRequest, path: str = "") -> HttpResponseBase:
    """A file of the site; without a site a page that states how to build it."""
    if not settings.CAIRN_DOCS.is_dir():
        return render(request, "refusal.html", NOT_BUILT, status=404)
    folder = not path or path.endswith("/")
    try:
        response: HttpResponseBase = serve(request, f"{path}index.html" if folder else path, settings.CAIRN_DOCS)
    except SuspiciousFileOperation:
        raise Http404 from None
    response["Cache-Control"] = "no-cache"  # checked again by its date
    return response
