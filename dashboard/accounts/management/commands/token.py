"""``manage.py token USER``: a new API token."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts import selectors, services


class Command(BaseCommand):
    """Prints a new API token; it is the last word of the output."""

    help = "Make an API token for USER and print it. Send it as: Authorization: Token …"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")

    def handle(self, *args: Any, **options: Any) -> None:
        _, token = services.make_token(user=selectors.user_named(options["user"]))
        self.stdout.write(token)
