"""The attacks app."""

from django.apps import AppConfig
from django.db.models.signals import post_delete


class AttacksConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.attacks"
    label = "attacks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Files go with the row: a release, a dataset and an account know nothing of this app."""
        from dashboard.attacks import files
        from dashboard.attacks.models import Attack
        from dashboard.storage import integrity

        integrity.content_check("attacks", files.is_as_recorded)
        post_delete.connect(files.forget_after_commit, sender=Attack)
