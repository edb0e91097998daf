"""``manage.py quota USER``: what a user stores and may store."""

import math
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts import selectors
from dashboard.accounts.models import User
from dashboard.datasets import quota

NO_LIMIT = -1


def _limit(text: str) -> int | None:
    if text == "default":
        return None
    if text == "unlimited":
        return NO_LIMIT
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = math.nan
    if not 0 <= gigabytes <= 1e6:
        raise ArgumentTypeError(f"must be gigabytes from 0 to 1000000, default or unlimited, got {text!r:.40}")
    return round(gigabytes * 1e9)


class Command(BaseCommand):
    """Prints what is used and the limit; with ``--set`` the limit is changed first."""

    help = "Print how many bytes the uploads of USER take, and their limit; --set changes the limit."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--set", type=_limit, dest="limit", default=False, help="GB, default or unlimited")

    def handle(self, *args: Any, **options: Any) -> None:
        user = selectors.user_named(options["user"])
        if options["limit"] is not False:
            User.objects.filter(pk=user.pk).update(quota_bytes=options["limit"])
            user.refresh_from_db()
        limit, own = quota.quota_of(user), "CAIRN_QUOTA_GB" if user.quota_bytes is None else "of this user"
        shown = "no limit" if limit is None else f"{limit / 1e9:g} GB"
        self.stdout.write(f"{quota.used_bytes(user) / 1e9:g} GB used; {shown} ({own})")
