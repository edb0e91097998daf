"""``manage.py sweep``: the loop that requeues lost jobs."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.maintenance.cleanup import Cleanup, sweep_until
from dashboard.storage.installation import Refused


class Command(BaseCommand):
    """Sweeps every CAIRN_SWEEP_S seconds until it is stopped."""

    help = "Requeue jobs whose worker died, and delete what has no owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep and tidy once, print what was done, and end")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        stop = threading.Event()
        try:
            if once:
                done = Cleanup().round()
                self.stdout.write(", ".join(f"{name} {n}" for name, n in (done or {}).items()) or "no database")
                return
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
            sweep_until(stop)
        except Refused as refused:
            raise CommandError(str(refused)) from None
