"""Configuration of the streams app."""

from django.apps import AppConfig


class StreamsConfig(AppConfig):
    name = "dashboard.streams"

    def ready(self) -> None:
        """State what pages of other apps show of live streams."""
        from dashboard.core.page_parts import add_part
        from dashboard.projects.contents import add_content
        from dashboard.streams import selectors

        add_part("releases:compare:stream", selectors.live_stream_of_page)
        add_content("stream", "Streams", "streams:list", selectors.visible_streams)
