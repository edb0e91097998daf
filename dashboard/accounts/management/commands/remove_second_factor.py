"""``manage.py remove_second_factor USER``: for a user who lost phone and recovery codes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.accounts import mail, second_factor, selectors


class Command(BaseCommand):
    """Removes it; the password stays."""

    help = "Remove the second factor of USER, who lost phone and recovery codes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")

    def handle(self, *args: Any, **options: Any) -> None:
        user = selectors.user_named(options["user"])
        if not second_factor.remove(user=user):
            raise CommandError(f"{user.get_username()!r} has no second factor.")
        mail.report(user, "The administrator removed the second factor.")
        self.stdout.write(f"{user.get_username()} logs in by the password or a link alone.")
