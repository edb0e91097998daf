"""``manage.py release``: :mod:`privacy_engine.commands.release` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("release")
