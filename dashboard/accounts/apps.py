"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
