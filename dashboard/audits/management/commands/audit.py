"""``manage.py audit``: :mod:`privacy_engine.commands.audit` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("audit")
