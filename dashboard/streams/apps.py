"""Configuration of the streams app."""

from django.apps import AppConfig


class StreamsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.streams"
    label = "streams"
    default_auto_field = "django.db.models.BigAutoField"
