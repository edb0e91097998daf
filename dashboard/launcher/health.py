"""Health checks of Cairn's processes on this machine, for the image, the supervisor and ``dashboard.launcher.watch``.

Usage: ``python -m dashboard.launcher.health web [HOST PORT]``, ``worker [NAME]`` or ``sweep``; exit code 0 if healthy.
"""

import http.client
import socket
import sys
import time
from pathlib import Path

TIMEOUT_S = 5.0
SILENT_S = 45.0
"""A worker or sweep without a sign of life for so long is taken as stuck: ten of their beats and a busy machine."""


def answers(host: str, port: int, *, timeout_s: float = TIMEOUT_S) -> bool:
    """Return whether /healthz answers 200 to a host name the settings allow, as if through a TLS proxy."""
    return status(host, port, timeout_s=timeout_s) == 200


def status(host: str, port: int, *, timeout_s: float = TIMEOUT_S) -> int | None:
    """Return the status of /healthz; None without an answer in time."""
    from django.conf import settings

    names = [name for name in settings.ALLOWED_HOSTS if name.strip(".*")]
    headers = {"Host": names[0] if names else "localhost", "X-Forwarded-Proto": "https"}
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", "/healthz", headers=headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def worker_answers(name: str = "") -> bool:
    """Return whether the worker of this host took messages lately.

    The beat ends with the connection to the broker, so while that is away nothing follows from a missing beat.
    """
    from django.conf import settings

    from dashboard.core.broker_ping import broker_answers
    from dashboard.jobs import workers

    age = workers.age_s(_worker(name))
    return (age is not None and age <= SILENT_S) or not broker_answers(settings.CELERY_BROKER_URL)


def queues_go_on(name: str = "") -> bool:
    """Return whether jobs go on in the queues that the worker of this host takes from; all queues if it is not known.

    What ends a worker that gives no answer does not regard this: a restart would end jobs that others wait for.
    """
    import django

    django.setup()

    from django.db import DatabaseError

    from dashboard.jobs import reaper, workers

    seen = workers.latest()
    mine = next((beat.text.split() for beat in seen if beat.name == _worker(name)), None)
    try:
        stalled = reaper.stalled_queues(seen)
    except DatabaseError:  # nothing is known
        return True
    return not stalled if mine is None else not set(stalled) & set(mine)


def _worker(name: str) -> str:
    return name or f"celery@{socket.gethostname()}"


def sweep_answers() -> bool:
    """Return whether the sweep's loop turned lately, with or without a database."""
    from django.conf import settings

    try:
        age = time.time() - Path(settings.CAIRN_HOME, "run", "sweep.loop").stat().st_mtime
    except FileNotFoundError:
        return False
    return age <= SILENT_S + settings.CAIRN_SWEEP_S


def main(arguments: list[str]) -> bool:
    """Return whether what the arguments name is healthy."""
    match arguments:
        case ["worker", *name] if len(name) <= 1:
            return worker_answers(*name) and queues_go_on(*name)
        case ["sweep"]:
            return sweep_answers()
        case ["web"]:
            return answers("127.0.0.1", 8000)
        case ["web", host, port]:
            return answers(host, int(port))
    raise SystemExit(__doc__)


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1:]))
