"""``manage.py verify``: :mod:`privacy_engine.commands.verify` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("verify")
