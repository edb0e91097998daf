"""``manage.py stays``: :mod:`privacy_engine.commands.stays` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("stays")
