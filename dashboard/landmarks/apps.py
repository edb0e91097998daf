"""The landmarks app."""

from django.apps import AppConfig


class LandmarksConfig(AppConfig):
    name = "dashboard.landmarks"

    def ready(self) -> None:
        """Connect what marks samples, and state what pages of other apps show of landmarks."""
        from dashboard.core.page_parts import add_part
        from dashboard.datasets.signals import imported
        from dashboard.landmarks.generated_samples import mark_when_read
        from dashboard.landmarks.selectors import sets_of_page

        add_part("datasets:detail", sets_of_page)
        imported.connect(mark_when_read)
