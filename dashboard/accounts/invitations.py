"""Invitations: links with which a person makes an account, or joins a project."""

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from dashboard.accounts.models import Invitation, User
from dashboard.core.errors import Conflict
from dashboard.core.keys import digest_of
from dashboard.core.text import one_line

DAYS = 7
"""How long a link is valid."""
MOST_OPEN = 20
"""Links of a user that are valid and unused."""


class Gone(Exception):
    """The link is unknown, used, revoked or expired."""


def may_invite(user: Any) -> bool:
    """Whether the operator lets users invite (``CAIRN_USERS_INVITE``)."""
    return bool(settings.CAIRN_USERS_INVITE) and user.is_authenticated


def make_invitation(*, invited_by: User | None = None, note: str = "", days: int = DAYS) -> str:
    """Return the path of a page where a person makes an account, valid for ``days``; errors of :func:`make_link`.

    ``note`` is for whoever invites: whom the link is for.
    """
    token = make_link(days=days, invited_by=invited_by, note=one_line(note, 100))[1]
    return reverse("accounts:join", args=[token])


@transaction.atomic
def make_link(*, days: int, invited_by: User | None, **columns: Any) -> tuple[Invitation, str]:
    """A new invitation with these columns, and the token of its link, which is stored nowhere.

    Raises
    ------
    Conflict
        The user has :data:`MOST_OPEN` links, to accounts or to a project, that are valid and unused.
    """
    token = secrets.token_urlsafe(32)
    if invited_by is not None:
        User.objects.select_for_update().get(pk=invited_by.pk)
        if (waiting := open_invitations(invited_by, columns.get("project")).count()) >= MOST_OPEN:
            rule = f"at most {MOST_OPEN} unused invitations"
            text = f"{waiting} of your invitations are not used yet; revoke one."
            raise Conflict(text, field="invitations", rule=rule, value=waiting)
    end = timezone.now() + timedelta(days=days)
    made = Invitation.objects.create(digest=digest_of(token), expires_at=end, invited_by=invited_by, **columns)
    return made, token


def open_invitations(user: User, project: Any = None) -> QuerySet[Invitation]:
    """The user's links to accounts, or to ``project``, that are valid and unused, newest first."""
    return Invitation.objects.filter(invited_by=user, project=project, used_at__isnull=True, expires_at__gt=Now())


def invitation_of(token: str, *, to_project: bool = False) -> Invitation:
    """Return the invitation of a link that is valid and unused, to an account or to a project.

    Raises
    ------
    Gone
        There is none, or whoever invited was deactivated.
    """
    invitation = _usable(token, to_project).select_related("invited_by", "project").first()
    if invitation is None or (invitation.invited_by and not invitation.invited_by.is_active):
        raise Gone
    return invitation


def use_up(token: str, *, to_project: bool = False) -> None:
    """Use a link, once: of two transactions at once that do, the second is refused.

    Raises
    ------
    Gone
        The link is no more.
    """
    if not _usable(token, to_project).update(used_at=Now()):
        raise Gone


@transaction.atomic
def accept_invitation(token: str, user: User) -> None:
    """Use the link up and store the new ``user``: both, or neither.

    Raises
    ------
    Gone
        The link is no more: only the first of two requests makes an account.
    django.db.IntegrityError
        The name was taken meanwhile.
    """
    use_up(token)
    user.save(force_insert=True)


def revoke_invitation(*, user: User, pk: Any) -> bool:
    """End a link of the user that is not used yet; False if there is none."""
    deleted, _ = open_invitations(user).filter(pk=pk).delete()
    return bool(deleted)


def _usable(token: str, to_project: bool) -> QuerySet[Invitation]:
    """By the link's own columns: with a join, PostgreSQL would let two updates at once through."""
    unused = Invitation.objects.filter(used_at__isnull=True, expires_at__gt=Now())
    return unused.filter(digest=digest_of(token), project__isnull=not to_project)
