"""Pages where a user sets a password: logged in, or by a link of an administrator."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework.exceptions import Throttled

from dashboard.accounts import attempts, entry

ENDED = "Your password is set. All other sessions, all tokens and unused login links have ended."


@method_decorator(never_cache, name="dispatch")
class ChangePassword(PasswordChangeView):
    """A new password after the present one, if there is one; whoever came by a login link may have none."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("accounts:password")

    def get_form_class(self) -> Any:
        return PasswordChangeForm if self.request.user.has_usable_password() else SetPasswordForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """As Django's; the present password is limited in attempts, as at the login."""
        name = request.user.get_username()
        try:
            attempts.start_login(request, name)
        except Throttled as refused:
            form = self.get_form_class()(request.user)  # unbound: no password is checked
            context = self.get_context_data(form=form, wait=attempts.wait_text(refused))
            headers = {"Retry-After": str(int(refused.wait))}
            return self.render_to_response(context, status=429, headers=headers)
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        attempts.login_succeeded(self.request, self.request.user.get_username())
        messages.success(self.request, ENDED)
        return super().form_valid(form)

    def form_invalid(self, form: Any) -> HttpResponse:
        if "old_password" not in form.errors:  # it was right, or there is none: no guess
            attempts.login_succeeded(self.request, self.request.user.get_username())
        return self.render_to_response(self.get_context_data(form=form), status=400)


@method_decorator([login_not_required, never_cache], name="dispatch")
class SetByLink(PasswordResetConfirmView):
    """A link of ``manage.py password_link``: Django's, whose secret is moved into the session before the page."""

    template_name = "accounts/password_by_link.html"
    success_url = reverse_lazy("datasets:list")

    def form_valid(self, form: Any) -> HttpResponse:
        """Store the password and log in; a second factor is required where it is enabled."""
        messages.success(self.request, ENDED)
        super().form_valid(form)
        return entry.enter(self.request, form.user, reverse("datasets:list"))

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> HttpResponse:
        if self.validlink:
            return super().render_to_response(context, **response_kwargs)
        return entry.refuse_link(self.request, self.template_name, context)
