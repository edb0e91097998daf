"""Ways in: links that work once, tokens for clients. What the tour remembers."""

import secrets
import uuid
from collections.abc import Iterable
from datetime import timedelta
from typing import Literal

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from dashboard.accounts.models import (
    AccessEntry,
    ApiToken,
    AttemptCount,
    Invitation,
    LoginLink,
    Scope,
    User,
    UserSession,
)
from dashboard.core.keys import digest_of

LINK_LIFE = timedelta(hours=12)  # long enough if printed in the morning, short if left in a terminal
TOKEN_DAYS = 90


def make_login_link(*, user: User) -> str:
    """The path of a page that lets ``user`` in once, within :data:`LINK_LIFE`."""
    token = secrets.token_urlsafe(32)
    LoginLink.objects.create(user=user, digest=digest_of(token), expires_at=timezone.now() + LINK_LIFE)
    return reverse("accounts:once", args=[token])


def make_password_link(*, user: User) -> str:
    """The path of a page where ``user`` sets a password; it ends with that, with a login, and after its time."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("accounts:reset", args=[uid, default_token_generator.make_token(user)])


def consume_login_link(*, token: str) -> User | None:
    """The user a link lets in, or None if it is unknown, used, expired, or its user may not enter."""
    # a single UPDATE on the link's own columns: with a join, PostgreSQL would let two at once through
    fresh = LoginLink.objects.filter(digest=digest_of(token), used_at__isnull=True, expires_at__gt=Now())
    if not fresh.update(used_at=Now()):
        return None
    user = LoginLink.objects.select_related("user").get(digest=digest_of(token)).user
    return user if user.is_active else None


def make_token(
    *, user: User, name: str = "", scopes: Iterable[str] = tuple(Scope.values), days: int | None = TOKEN_DAYS
) -> tuple[ApiToken, str]:
    """A new API token: its row, and the text, which is kept nowhere and cannot be shown again.

    ``days`` is how long it is valid, None: until it is revoked.
    """
    expiry, given = None if days is None else timedelta(days=days), set(scopes)
    ordered = [scope for scope in Scope.values if scope in given]
    made: tuple[ApiToken, str] = ApiToken.objects.create(user=user, expiry=expiry, name=name, scopes=ordered)
    return made


def revoke_token(*, user: User, token_key: str) -> bool:
    """End a token of the user, named by its first characters; False if there is none."""
    deleted, _ = ApiToken.objects.filter(user=user, token_key=token_key).delete()
    return bool(deleted)


def end_session(*, user: User, pk: uuid.UUID) -> bool:
    """End a session of the user: its next request is not logged in. False if there is none."""
    deleted, _ = UserSession.objects.filter(user=user, id=pk).delete()
    return bool(deleted)


def end_other_sessions(*, user: User, session_key: str) -> int:
    """End all sessions of the user but that of ``session_key``; how many that were."""
    deleted, _ = UserSession.objects.filter(user=user).exclude(session_key=session_key).delete()
    return deleted


def show_tour(*, user: User, shown: bool) -> None:
    """Show the first steps whatever else the user has, or hide them, until the user changes it."""
    User.objects.filter(pk=user.pk).update(tour_shown=shown)


def remember_visit(*, user: User, what: Literal["looked", "compared"]) -> None:
    """Keep when the user first looked at a sample, or first saw its releases compared."""
    field = f"tour_{what}_at"
    if getattr(user, field) is None:
        User.objects.filter(pk=user.pk, **{f"{field}__isnull": True}).update(**{field: Now()})


def forget_expired() -> int:
    """Delete expired links, invitations, tokens and counts of attempts."""
    links, _ = LoginLink.objects.filter(expires_at__lt=Now()).delete()
    Invitation.objects.filter(expires_at__lt=Now()).delete()
    if settings.CAIRN_TRAIL_DAYS:
        AccessEntry.objects.filter(created_at__lt=timezone.now() - timedelta(days=settings.CAIRN_TRAIL_DAYS)).forget()
    tokens, _ = ApiToken.objects.filter(expiry__lt=Now()).delete()
    AttemptCount.objects.filter(ends_at__lt=Now()).delete()
    return links + tokens
