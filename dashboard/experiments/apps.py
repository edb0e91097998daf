"""The experiments app."""

from django.apps import AppConfig
from django.db.models.signals import post_delete


class ExperimentsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.experiments"
    label = "experiments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Files go with the row: a dataset and an account know nothing of this app."""
        from dashboard.experiments import files, stored_blocks
        from dashboard.experiments.models import Experiment
        from dashboard.storage import integrity

        integrity.content_check("blocks", stored_blocks.is_whole)
        integrity.content_check("experiments", files.is_as_named)
        post_delete.connect(files.forget_after_commit, sender=Experiment)
