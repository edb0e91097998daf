"""``manage.py login_link USER``: a link that logs a user in once."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts import selectors, services
from dashboard.accounts.models import User
from dashboard.core.home import running_address


class Command(BaseCommand):
    """Prints a login link; it is the last word of the output."""

    help = "Make a link that logs USER in once, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")

    def handle(self, *args: Any, **options: Any) -> None:
        self.print_link(self.path(selectors.user_named(options["user"])))

    def print_link(self, path: str) -> None:
        """Print the address of a path of this server: where it runs, or would."""
        scheme = "https" if settings.CAIRN_HTTPS else "http"
        address = running_address(settings.CAIRN_HOME) or f"{settings.CAIRN_HOST}:{settings.CAIRN_PORT}"
        self.stdout.write(f"{scheme}://{address}{path}")

    def path(self, user: User) -> str:
        return services.make_login_link(user=user)
