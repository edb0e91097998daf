"""Pages of the accounts room: log in, come in by a link, make and revoke tokens."""

from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.accounts import queries, services

BACKEND = "django.contrib.auth.backends.ModelBackend"


class Login(LoginView):
    """User name and password."""

    template_name = "accounts/login.html"
    redirect_authenticated_user = True


@login_not_required
@never_cache
@sensitive_variables("token")
@require_http_methods(["GET", "POST"])
def once(request: HttpRequest, token: str) -> HttpResponse:
    """A link that works once. Looking at it uses nothing up: programs that preview links look at them too."""
    if request.method == "GET":
        return render(request, "accounts/once.html")
    user = services.consume_login_link(token=token)
    if user is None:
        return render(request, "accounts/once.html", {"spent": True}, status=410)
    login(request, user, backend=BACKEND)
    return redirect("datasets:list")


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("accounts:login")


@never_cache
@sensitive_variables()
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's tokens; a new one is in this answer and nowhere else."""
    fresh = services.make_token(user=request.user)[1] if request.method == "POST" else None
    context = {
        "tokens": queries.tokens_of(request.user),
        "fresh": fresh,
        "origin": f"{request.scheme}://{request.get_host()}",
    }
    return render(request, "accounts/tokens.html", context)


@require_POST
def revoke(request: HttpRequest, token_key: str) -> HttpResponse:
    """End a token at once."""
    if services.revoke_token(user=request.user, token_key=token_key):
        messages.success(request, f"The token {token_key}… is revoked; requests with it are refused from now on.")
    return redirect("accounts:tokens")
