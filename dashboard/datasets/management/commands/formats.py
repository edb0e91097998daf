"""``manage.py formats``: :mod:`privacy_engine.commands.formats` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("formats")
