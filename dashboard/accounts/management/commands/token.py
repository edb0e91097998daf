"""``manage.py token USER``: a new API token."""

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts import mail, selectors, services
from dashboard.accounts.models import Scope


def days_of(text: str) -> int:
    """A validity in days, as an argument of a command."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 3650):
        raise ArgumentTypeError(f"must be 1 to 3650 days, got {text!r:.40}")
    return int(text)


class Command(BaseCommand):
    """Prints a new API token; it is the last word of the output."""

    help = "Make an API token for USER and print it. Send it as: Authorization: Token …"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="command line", help="what it is for")
        parser.add_argument("--scope", action="append", choices=Scope.values, help="may be repeated; default: all")
        parser.add_argument("--days", type=days_of, default=services.TOKEN_DAYS, help="validity (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        user, scopes = selectors.user_named(options["user"]), options["scope"] or Scope.values
        _, token = services.make_token(user=user, name=options["name"], scopes=scopes, days=options["days"])
        mail.report(user, f"The administrator made the API token “{options['name']}”.")
        self.stdout.write(token)
