"""Lookups of users by name."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db.models import QuerySet

from dashboard.accounts.models import ApiToken, User


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The user's API tokens, newest first."""
    return ApiToken.objects.filter(user=user).order_by("-created")


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
