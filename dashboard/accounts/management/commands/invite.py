"""``manage.py invite``: a link with which a person makes an account."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.accounts import invitations
from dashboard.accounts.management.commands import login_link
from dashboard.accounts.management.commands.token import days_of


class Command(login_link.Command):
    """Prints the link as ``login_link`` does."""

    help = "Make a link with which one person makes an account, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--note", default="", help="whom it is for; the invited person does not see it")
        parser.add_argument("--days", type=days_of, default=invitations.DAYS, help="validity (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.print_link(invitations.make_invitation(note=options["note"], days=options["days"]))
