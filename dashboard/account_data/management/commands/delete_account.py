"""``manage.py delete_account USER``: as the page does, for accounts without a password and by administrators."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.account_data import services
from dashboard.accounts.models import User


class Command(BaseCommand):
    """Deletes an account with all that is stored of it."""

    help = "Delete USER with all datasets, releases, public links and files. What was spent stays in the ledger."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--yes", action="store_true", help="really do it; it cannot be undone")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        if not options["yes"]:
            raise CommandError(f"{user.datasets.count()} datasets would be deleted. Repeat it with --yes.")
        services.delete_account(user=user)
        self.stdout.write(f"{options['user']} is deleted. The sweep removes what is left of the files within minutes.")
