"""The landmarks app."""

from django.apps import AppConfig


class LandmarksConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.landmarks"
    label = "landmarks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what marks samples."""
        from dashboard.datasets.signals import imported
        from dashboard.landmarks.generated_samples import mark_when_read

        imported.connect(mark_when_read)
