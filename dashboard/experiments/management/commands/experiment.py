"""``manage.py experiment``: :mod:`privacy_engine.commands.experiment` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("experiment")
