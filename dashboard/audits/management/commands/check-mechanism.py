"""``manage.py check-mechanism``: :mod:`privacy_engine.commands.check_mechanism` under Django."""

from dashboard.core.cli import engine_command

Command = engine_command("check-mechanism")
