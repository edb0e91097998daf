"""The releases app."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "dashboard.releases"

    def ready(self) -> None:
        """What its label states of a stored release, and what the page of a dataset shows of releases."""
        from dashboard.core.page_parts import add_part
        from dashboard.releases import files, selectors
        from dashboard.storage import integrity

        integrity.content_check("releases", files.matches_label)
        add_part("datasets:detail", selectors.releases_of_page)
