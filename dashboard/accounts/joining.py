"""What the pages behind invitations share: the form of a new account, and what links that are none lead to."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import UserCreationForm
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import Throttled

from dashboard.accounts import attempts, entry, invitations
from dashboard.accounts.models import Invitation, User

BY_LINK = 20
"""Names that may be tried with a link in a period: each answer shows whether a name is taken."""

NO_INVITATION = entry.NoLink(
    (
        "An invitation is for one person, and ends after some days. This one was used, revoked, has expired, or was "
        "copied incompletely.",
        "Whoever sent it can send another one; else contact the operator of this Cairn.",
    ),
    joins=True,
)
View = Callable[[HttpRequest, str], HttpResponse]


class JoinForm(UserCreationForm):
    """Name and password of a new account."""

    class Meta:
        model = User
        fields = ("username",)


def behind_link(view: View) -> View:
    """A view behind an invitation, with and without a login: links that are none, whatever of, have the same page."""

    @login_not_required
    @never_cache
    @sensitive_variables("token")
    @sensitive_post_parameters()
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def respond(request: HttpRequest, token: str) -> HttpResponse:
        try:
            return view(request, token)
        except invitations.Gone:
            return entry.refuse_link(request, NO_INVITATION)
        except Throttled as refused:
            return entry.throttled(request, "accounts/join.html", {"form": JoinForm()}, refused)

    return respond


def new_account(
    request: HttpRequest, invitation: Invitation, accept: Callable[[User], object]
) -> tuple[JoinForm, User | None]:
    """The form of a new account, and whom a POST made: ``accept`` stores the user.

    Raises
    ------
    invitations.Gone
        The link was used meanwhile.
    Throttled
        :data:`BY_LINK` names were tried with it.
    """
    form = JoinForm(request.POST or None)
    if request.method != "POST":
        return form, None
    attempts.count_attempt("invitation", str(invitation.pk), BY_LINK)
    if not form.is_valid():
        return form, None
    user: User = form.save(commit=False)
    try:
        accept(user)
    except IntegrityError:  # another person took the name between the check and now
        form.add_error("username", "A user with that username already exists.")
        return form, None
    return form, user
