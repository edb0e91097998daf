"""``manage.py password_link USER``: a link with which a user sets a password."""

from dashboard.accounts import services
from dashboard.accounts.management.commands import login_link
from dashboard.accounts.models import User


class Command(login_link.Command):
    """Prints the link as ``login_link`` does."""

    help = "Make a link with which USER sets a new password, and print it."

    def path(self, user: User) -> str:
        return services.make_password_link(user=user)
