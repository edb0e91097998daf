"""Pages of the accounts app: log in, come in by a link, make and revoke tokens, hide and show the tour."""

import unicodedata
import uuid
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe
from rest_framework.exceptions import Throttled

from dashboard.accounts import attempts, entry, invitations, joining, mail, presence, second_factor, selectors, services
from dashboard.accounts.models import Scope
from dashboard.accounts.services import TOKEN_DAYS
from dashboard.core.page_parts import parts_of
from privacy_engine.core.plurals import quantity
from privacy_engine.errors import EngineError

DAYS = {7: "in 7 days", 30: "in 30 days", TOKEN_DAYS: f"in {TOKEN_DAYS} days", 365: "in a year", 0: "never"}


class TokenForm(forms.Form):
    """What a new token is for, what it permits, and how long."""

    name = forms.CharField(max_length=100, error_messages={"required": "Enter a name: what the token is for."})
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=[Scope.READ], error_messages={"required": "Choose at least one permission."}
    )
    days = forms.TypedChoiceField(choices=list(DAYS.items()), coerce=int, initial=TOKEN_DAYS)

    def clean_days(self) -> int | None:
        return self.cleaned_data["days"] or None

    def new(self) -> dict[str, Any]:
        """Arguments of ``make_token``."""
        return {name: self.cleaned_data[name] for name in ("name", "scopes", "days")}


@joining.behind_link
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation: choose a name and a password, and be logged in."""
    invitation = invitations.invitation_of(token)
    accept = partial(invitations.accept_invitation, token)
    form, made = joining.new_account(request, invitation, accept)
    if made:
        messages.success(request, f"Your account {made.get_username()} is made.")
        return entry.enter(request, made, "/")
    context = {"form": form, "invitation": invitation}
    return render(request, "accounts/join.html", context, status=400 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_list(request: HttpRequest) -> HttpResponse:
    """The user's invitations; a new link is in this answer and nowhere else."""
    if not invitations.may_invite(request.user):
        raise Http404
    context: dict[str, Any] = {"days": invitations.DAYS}
    if request.method == "POST":
        try:
            path = invitations.make_invitation(invited_by=request.user, note=request.POST.get("note", ""))
            context["fresh"] = request.build_absolute_uri(path)
        except EngineError as error:
            context["problem"] = str(error)
    context["invitations"] = invitations.open_invitations(request.user)
    return render(request, "accounts/invitations.html", context, status=409 if "problem" in context else 200)


@require_POST
def revoke_invitation(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """End an invitation that is not used yet."""
    if not invitations.may_invite(request.user) or not invitations.revoke_invitation(user=request.user, pk=pk):
        raise Http404
    messages.success(request, "The invitation is revoked: its link makes no account.")
    return redirect("accounts:invitations")


PER_PAGE = 50


@never_cache
@require_safe
def access(request: HttpRequest) -> HttpResponse:
    """Who read the user's originals, and downloaded what is theirs."""
    user: Any = request.user
    page = Paginator(selectors.access_to(user), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "accounts/access.html", {"page": page, "days": settings.CAIRN_TRAIL_DAYS})


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End the session of the id in the form, or without an id all but this."""
    text = request.POST.get("session", "")
    if not text:
        ended = services.end_other_sessions(user=request.user, session_key=request.session.session_key)
        messages.success(request, f"{quantity(ended, 'other session')} ended.")
        return redirect("accounts:account")
    try:
        done = services.end_session(user=request.user, pk=uuid.UUID(text))
    except ValueError:
        done = False
    if done:
        messages.success(request, "The session is ended: that browser has to log in again.")
    else:
        messages.info(request, "That session had ended already.")
    return redirect("accounts:account")


NO_LINK = entry.NoLink(
    (
        "A login link works once, within twelve hours. This one was used, has expired, or was copied incompletely.",
        "To print a new one, run in Cairn’s folder:",
    ),
    command=f"{entry.COMMAND} login_link",
    login="Log in with a password",
)


@method_decorator([login_not_required, never_cache], name="dispatch")
class Login(LoginView):
    """User name and password: a page, or JSON where a page that is open logs in again."""

    template_name = "accounts/login.html"
    redirect_authenticated_user = True
    extra_context: ClassVar = {"command": entry.COMMAND}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """As Django's; a GET for JSON returns who is logged in, and sets the CSRF cookie."""
        if request.method == "GET" and _is_for_json(request):
            get_token(request)
            return JsonResponse({"user": request.user.get_username() if request.user.is_authenticated else None})
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """As Django's, for as many attempts as the name and the address have; then 429 whatever the password is."""
        try:
            attempts.start_login(request, name=self._name())
        except Throttled as refused:
            return self._refuse(refused)
        return super().post(request, *args, **kwargs)

    def _refuse(self, refused: Throttled) -> HttpResponse:
        wait = attempts.wait_text(refused)
        headers = {"Retry-After": str(int(refused.wait))}
        if _is_for_json(self.request):
            error = {"code": "throttled", "message": f"Too many failed attempts. {wait}"}
            return JsonResponse({"errors": [error]}, status=429, headers=headers)
        form = AuthenticationForm(self.request, initial={"username": self._name()})  # unbound: no password is checked
        context = self.get_context_data(form=form, wait=wait)
        return self.render_to_response(context, status=429, headers=headers)

    def _name(self) -> str:
        return unicodedata.normalize("NFKC", self.request.POST.get("username", "")).strip()

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        attempts.login_succeeded(self.request, name=self._name())
        user = form.get_user()
        if not _is_for_json(self.request):
            return entry.enter(self.request, user, self.get_success_url())
        if second_factor.is_enabled(user):
            try:
                problem = entry.check_code(self.request, user, self.request.POST.get("code", ""))
            except Throttled as refused:
                return self._refuse(refused)
            if problem:
                error = {"code": "second-factor", "message": problem}
                return JsonResponse({"errors": [error]}, status=400)
        entry.complete(self.request, user)
        return JsonResponse({"user": user.get_username()})

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if _is_for_json(self.request):
            message = "Wrong user name or password. Both are case-sensitive."
            return JsonResponse({"errors": [{"code": "login", "message": message}]}, status=400)
        return super().form_invalid(form)


def _is_for_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


@login_not_required
@never_cache
@sensitive_variables("token")
@require_GET
def once(request: HttpRequest, token: str) -> HttpResponse:
    """A link that lets in once. A browser that only fetches ahead does not use it up."""
    if "prefetch" in request.headers.get("Sec-Purpose", request.headers.get("Purpose", "")):
        return HttpResponse(status=204)
    user = services.consume_login_link(token=token)
    if user is not None:
        return entry.enter(request, user, reverse("datasets:list"))
    if not request.user.is_authenticated:
        return entry.refuse_link(request, NO_LINK)
    return redirect("datasets:list")


@login_not_required
@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """End the session, if there is any: another tab may have ended it."""
    logout(request)
    return redirect("accounts:login")


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Show second factor, address, invitations, storage and sessions."""
    user: Any = request.user
    context = {
        "sessions": selectors.sessions_of(user),
        "second_factor": second_factor.is_enabled(user),
        "mail": settings.CAIRN_MAIL,
        "may_invite": invitations.may_invite(user),
        "invited": invitations.open_invitations(user).count,
    }
    return render(request, "accounts/account.html", context | parts_of("accounts:account", request, user))


@never_cache
@sensitive_variables()
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's tokens; a new token is in this answer and nowhere else."""
    form, fresh, problem = TokenForm(request.POST or None), None, ""
    context: dict[str, Any] = {"needed": presence.needed(request)}
    if request.method == "POST" and form.is_valid():
        try:
            problem = presence.problem(request)
        except Throttled as refused:
            return entry.throttled(request, "accounts/tokens.html", context | _tokens(request, form), refused)
        if not problem:
            fresh = services.make_token(user=request.user, **form.new())[1]
            mail.report(request.user, f"The API token “{form.cleaned_data['name']}” was made.")
            form = TokenForm()
    context |= _tokens(request, form) | {"fresh": fresh, "problem": problem}
    return render(request, "accounts/tokens.html", context, status=400 if problem or form.errors else 200)


def _tokens(request: HttpRequest, form: TokenForm) -> dict[str, Any]:
    return {
        "form": form,
        "tokens": selectors.tokens_of(request.user),
        "origin": f"{request.scheme}://{request.get_host()}",
    }


@require_POST
def revoke(request: HttpRequest, token_key: str) -> HttpResponse:
    """End a token at once."""
    if services.revoke_token(user=request.user, token_key=token_key):
        messages.success(request, f"The token {token_key}… is revoked: requests with it are refused.")
    return redirect("accounts:tokens")
