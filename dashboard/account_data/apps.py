"""Configuration of the app of account data."""

from django.apps import AppConfig


class AccountDataConfig(AppConfig):
    name = "dashboard.account_data"

    def ready(self) -> None:
        """What the row states of a stored export."""
        from dashboard.account_data import execution
        from dashboard.storage import integrity

        integrity.content_check("accountexports", execution.is_as_recorded)
