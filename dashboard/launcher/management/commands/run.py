"""``manage.py run``: starts the launcher."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.core.home import LaunchError
from dashboard.launcher.supervisor import Supervisor


class Command(BaseCommand):
    help = "Start broker, worker, sweep and web server; stop them all with Ctrl-C."
    requires_system_checks: list[str] = []  # `make check` runs them; a start should not wait for them

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            Supervisor(report=lambda line: print(line, flush=True)).run()
        except LaunchError as error:
            raise CommandError(str(error)) from None
