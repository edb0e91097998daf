"""Lookups of users by name."""

from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.db.models.functions import Now

from dashboard.accounts.models import AccessEntry, ApiToken, User, UserSession


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The user's API tokens, newest first."""
    return ApiToken.objects.filter(user=user).order_by("-created")


def sessions_of(user: User) -> QuerySet[UserSession]:
    """The user's sessions that have not expired, the last used first."""
    return UserSession.objects.filter(user=user, expire_date__gt=Now()).order_by("-last_used_at", "-created_at")


def access_to(user: User) -> QuerySet[AccessEntry]:
    """Reads of the user's originals and downloads of what is theirs, newest first."""
    return AccessEntry.objects.filter(owner=user)


def user_named(username: str) -> User:
    """The active user of that name.

    Raises
    ------
    CommandError
        There is none.
    """
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no user {username!r}. Make one with: manage.py createsuperuser")
    return user
