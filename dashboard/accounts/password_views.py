"""Pages where a user sets a password, and the address that links for it are sent to."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import Throttled

from dashboard.accounts import attempts, entry, mail, presence, second_factor, services
from dashboard.accounts.models import User

LIFE_S = 24 * 3600
"""Of a link that confirms an address."""
BY_PERSON = 3
"""Mails that can be requested per name, or per user, in a period."""
MOST = 5
"""Accounts of an address that receive a mail each."""
NO_ADDRESS_LINK = entry.NoLink(
    ("A link that confirms an address works once, within a day, for the user who requested it.",),
)
SALT = "accounts.address"


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """A link by mail where that is configured, else how an administrator makes it.

    The response is the same whether there is such an account or not, and sent before any mail.
    """
    context = {"mail": settings.CAIRN_MAIL, "command": entry.COMMAND}
    name = request.POST.get("name", "").replace("\0", "").strip()[:254]
    if request.method == "POST" and settings.CAIRN_MAIL and name:
        try:
            attempts.count_attempt("address", attempts.client_address(request), attempts.BY_ADDRESS)
            attempts.count_attempt("forgotten", name.lower(), BY_PERSON)
        except Throttled as refused:
            return entry.throttled(request, "accounts/forgotten.html", context, refused)
        _send_links(request, name)
        context["sent"] = True
    return render(request, "accounts/forgotten.html", context)


def _send_links(request: HttpRequest, name: str) -> None:
    named = User.objects.filter(Q(username=name) | Q(email__iexact=name), is_active=True).exclude(email="")
    for user in named[:MOST]:
        link = request.build_absolute_uri(services.make_password_link(user=user))
        mail.send_later(user.email, "accounts/mail/password.txt", user=user, link=link)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def address(request: HttpRequest) -> HttpResponse:
    """The address of mails: a new address is stored once the link that is sent to it was opened; empty removes it."""
    if not settings.CAIRN_MAIL:
        raise Http404
    context = {"chosen": request.POST.get("email", request.user.email), "needed": presence.needed(request)}
    if request.method != "POST":
        return render(request, "accounts/address.html", context)
    try:
        problems = _problems(request)
        if not any(problems.values()):
            return _changed(request, request.POST.get("email", "").strip())
    except Throttled as refused:
        return entry.throttled(request, "accounts/address.html", context, refused)
    return render(request, "accounts/address.html", context | {"problems": problems}, status=400)


def _problems(request: HttpRequest) -> dict[str, str]:
    email = request.POST.get("email", "").strip()
    try:
        if email:
            validate_email(email)
    except ValidationError:
        return {"email": f"An address such as name@example.org, or nothing; got “{email:.60}”."}
    return {"present": presence.problem(request)}


def _changed(request: HttpRequest, email: str) -> HttpResponse:
    user = request.user
    if not email:
        User.objects.filter(pk=user.pk).update(email="")
        presence.changed(request, "This address was removed: a forgotten password is set by the administrator alone.")
        messages.success(request, "Your address is removed: no mail is sent to you.")
        return redirect("accounts:account")
    attempts.count_attempt("confirm", str(user.pk), BY_PERSON)
    token = signing.dumps({"user": str(user.pk), "email": email, "before": user.email}, salt=_salt(user))
    link = request.build_absolute_uri(reverse("accounts:confirm-address", args=[token]))
    mail.send_later(email, "accounts/mail/confirm.txt", user=user, link=link)
    messages.success(request, f"A link was sent to {email}. The address is stored once you open it.")
    return redirect("accounts:account")


def _salt(user: Any) -> str:
    """A link is no longer valid once the password or the second factor has changed since it was requested."""
    return f"{SALT}.{user.get_session_auth_hash()}.{second_factor.is_enabled(user)}"


@never_cache
@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind the link of a mail; its button stores the address, as programs that scan mail open links."""
    user = request.user
    try:
        known = signing.loads(token, salt=_salt(user), max_age=LIFE_S)
    except signing.BadSignature:
        known = {}
    if known.get("user") != str(user.pk) or known["before"] != user.email:
        return entry.refuse_link(request, NO_ADDRESS_LINK)
    if request.method != "POST":
        return render(request, "accounts/confirm_address.html", {"email": known["email"]})
    User.objects.filter(pk=user.pk, email=known["before"]).update(email=known["email"])
    presence.changed(request, "Links that set a forgotten password are sent to another address from now on.")
    messages.success(request, f"{known['email']} is your address now.")
    return redirect("accounts:account")


ENDED = "Your password is set. All other sessions, all tokens and unused login links have ended."
NO_LINK = entry.NoLink(
    (
        "A link that sets a password works once, within twelve hours, and ends with the next login. To print a new "
        "one, an administrator runs in Cairn’s folder:",
    ),
    command=f"{entry.COMMAND} password_link",
)


@method_decorator([never_cache, sensitive_post_parameters()], name="dispatch")
class ChangePassword(PasswordChangeView):
    """A new password, after all that the account has; whoever came by a login link may have none."""

    form_class = SetPasswordForm
    template_name = "accounts/password.html"
    success_url = reverse_lazy("accounts:password")

    def form_valid(self, form: Any) -> HttpResponse:
        """Check that the user is present once the new password is a possible one: a code is not used up by it."""
        try:
            problem = presence.problem(self.request, "old_password")
        except Throttled as refused:
            context = self.get_context_data(form=form)
            return entry.throttled(self.request, self.template_name, context, refused)
        if problem:
            return self.render_to_response(self.get_context_data(form=form, problem=problem), status=400)
        response = super().form_valid(form)  # ends sessions, tokens and links; this session gets a new key
        messages.success(self.request, ENDED)
        mail.report(form.user, "The password was changed. All tokens and all other sessions have ended.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(needed=presence.needed(self.request), **kwargs)


@method_decorator([login_not_required, never_cache, sensitive_post_parameters()], name="dispatch")
class SetByLink(PasswordResetConfirmView):
    """A link that sets a password, of a mail or of ``manage.py password_link``, in place of the password before.

    Django's, whose secret is moved into the session before the page. An account with a second factor needs a code, too.
    """

    template_name = "accounts/password_by_link.html"
    success_url = reverse_lazy("datasets:list")

    def form_valid(self, form: Any) -> HttpResponse:
        """Store the password and log in."""
        if second_factor.is_enabled(form.user):
            try:
                problem = entry.check_code(self.request, form.user, self.request.POST.get("code", ""))
            except Throttled as refused:
                context = self.get_context_data(form=form)
                return entry.throttled(self.request, self.template_name, context, refused)
            if problem:
                return self.render_to_response(self.get_context_data(form=form, problem=problem), status=400)
        messages.success(self.request, ENDED)
        response = super().form_valid(form)
        entry.complete(self.request, form.user)
        mail.report(form.user, "The password was set by a link. All tokens and sessions have ended.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        code = self.validlink and second_factor.is_enabled(self.user)
        return super().get_context_data(needed=presence.Needed(password=False, code=code, login=False), **kwargs)

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> HttpResponse:
        if self.validlink:
            return super().render_to_response(context, **response_kwargs)
        return entry.refuse_link(self.request, NO_LINK)
