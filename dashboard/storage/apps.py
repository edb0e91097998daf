"""Configuration of the storage app."""

from django.apps import AppConfig


class StorageConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.storage"
    label = "storage"
    default_auto_field = "django.db.models.BigAutoField"
