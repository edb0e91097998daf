"""Configuration of the storage app."""

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_migrate


class StorageConfig(AppConfig):
    name = "dashboard.storage"

    def ready(self) -> None:
        """Let files go with their rows, and the id of the installation be stored once there is a table for it."""
        from dashboard.storage import installation, removals

        for model in removals.folders().values():
            post_delete.connect(removals.request_with_row, sender=model)
        post_migrate.connect(installation.after_migration, sender=self)
