"""``manage.py password_link USER``: a link with which a user sets a password."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts import selectors, services


class Command(BaseCommand):
    """Prints the link; it is the last word of the output."""

    help = "Make a link with which USER sets a new password, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")

    def handle(self, *args: Any, **options: Any) -> None:
        path = services.make_password_link(user=selectors.user_named(options["user"]))
        scheme = "https" if settings.CAIRN_HTTPS else "http"
        self.stdout.write(f"{scheme}://{settings.CAIRN_HOST}:{settings.CAIRN_PORT}{path}")
