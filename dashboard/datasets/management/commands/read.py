"""``manage.py read``: :mod:`privacy_engine.commands.read` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("read")
