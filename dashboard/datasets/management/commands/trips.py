"""``manage.py trips``: :mod:`privacy_engine.commands.trips` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("trips")
