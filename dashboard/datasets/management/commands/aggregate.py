"""``manage.py aggregate``: :mod:`privacy_engine.commands.aggregate` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("aggregate")
