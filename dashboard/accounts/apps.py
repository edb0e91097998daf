"""The accounts room."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the room under its short name."""

    name = "dashboard.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
