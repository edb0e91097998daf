"""Invitations: links with which one person makes an account."""

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
"""Links of one user that are valid and unused."""


class Gone(Exception):
    """The link is unknown, used, revoked or expired."""


def may_invite(user: Any) -> bool:
    """Whether the operator lets users invite (``CAIRN_USERS_INVITE``)."""
    return bool(settings.CAIRN_USERS_INVITE) and user.is_authenticated


def make_invitation(*, invited_by: User | None = None, note: str = "", days: int = DAYS) -> str:
    """Return the path of a page where one person makes an account, valid for ``days``.

    ``note`` is for whoever invites: whom the link is for.

    Raises
    ------
    Conflict
        The user has :data:`MOST_OPEN` links that are valid and unused.
    """
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        if invited_by is not None:
            User.objects.select_for_update().get(pk=invited_by.pk)
            if (waiting := open_invitations(invited_by).count()) >= MOST_OPEN:
                rule = f"at most {MOST_OPEN} unused invitations"
                text = f"{waiting} of your invitations are not used yet; revoke one."
                raise Conflict(text, field="invitations", rule=rule, value=waiting)
        Invitation.objects.create(
            digest=digest_of(token),
            invited_by=invited_by,
            note=one_line(note, 100),
            expires_at=timezone.now() + timedelta(days=days),
        )
    return reverse("accounts:join", args=[token])


def open_invitations(user: User) -> QuerySet[Invitation]:
    """The user's links that are valid and unused, newest first."""
    return Invitation.objects.filter(invited_by=user, used_at__isnull=True, expires_at__gt=Now())


def invitation_of(token: str) -> Invitation:
    """Return the invitation of a link that is valid and unused.

    Raises
    ------
    Gone
        There is none.
    """
    found = _usable(token).first()
    if found is None:
        raise Gone
    return found


@transaction.atomic
def accept_invitation(*, token: str, user: User) -> None:
    """Use the link up and store the new ``user``: both, or neither.

    Raises
    ------
    Gone
        The link is no more: of two requests at once one makes an account.
    django.db.IntegrityError
        The name was taken meanwhile.
    """
    if not _usable(token).update(used_at=Now()):
        raise Gone
    user.save(force_insert=True)


def revoke_invitation(*, user: User, pk: Any) -> bool:
    """End a link of the user that is not used yet; False if there is none."""
    deleted, _ = open_invitations(user).filter(pk=pk).delete()
    return bool(deleted)


def _usable(token: str) -> QuerySet[Invitation]:
    return Invitation.objects.filter(digest=digest_of(token), used_at__isnull=True, expires_at__gt=Now())
