"""Pages where a user sets a password: logged in, or by a link of an administrator."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from rest_framework.exceptions import Throttled

from dashboard.accounts import entry, mail, presence, second_factor

ENDED = "Your password is set. All other sessions, all tokens and unused login links have ended."


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
        return entry.refuse_link(self.request, self.template_name, context)
