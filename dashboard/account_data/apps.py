"""Configuration of the app of account data."""

from django.apps import AppConfig


class AccountDataConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.account_data"
    label = "account_data"
    default_auto_field = "django.db.models.BigAutoField"
