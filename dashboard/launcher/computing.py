"""The computing process of a web server: functions that need kernels or long columns are called here.

Usage: ``python -m dashboard.launcher.computing DESCRIPTOR`` (:mod:`dashboard.core.computing` does it)
"""

import gc
import logging
import os
import pickle  # nosec B403  # of our own process alone
import signal
import sys
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path

THREADS = 8
"""As many as a web server answers requests at once."""
IDLE_S = 120.0
logger = logging.getLogger(__name__)


def main(control: Connection) -> None:
    """Make the calls that come through ``control`` until it is closed, or none comes for :data:`IDLE_S`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the web server, with which this ends
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")  # where memory is short this ends before the web server
        Path("/proc/self/comm").write_text("cairn-computing")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
    import django

    django.setup()
    import pyarrow.parquet  # noqa: F401  what most calls need

    import privacy_engine.kernels  # noqa: F401

    gc.collect()
    gc.freeze()
    threads, calls = ThreadPoolExecutor(THREADS, "call"), list[Future[None]]()
    with suppress(EOFError):
        while control.poll(IDLE_S) or not all(call.done() for call in calls):
            if control.poll():
                calls = [call for call in calls if not call.done()]
                calls.append(threads.submit(_call, Connection(recv_handle(control))))
    os._exit(0)  # no result is of use to anyone


def _call(connection: Connection) -> None:
    """Make a call; its message is what :func:`dashboard.core.computing.computed_where` sends."""
    from django.db import close_old_connections

    from dashboard.core.computing import sent
    from dashboard.core.memory import release_free_memory

    with connection:
        try:
            message = connection.recv_bytes()
            connection.send_bytes(b"")  # it begins
            close_old_connections()
            try:
                function, args, kwargs = pickle.loads(message)  # noqa: S301  # nosec B301  # of the web server
                is_result, value = True, function(*args, **kwargs)
            except Exception as error:
                error.add_note(traceback.format_exc())
                is_result, value = False, error
            close_old_connections()
            release_free_memory()
            sent(connection, is_result, value, _own_bytes())
        except OSError:  # the web server waits no longer
            pass
        except Exception:
            logger.exception("a call has no answer")


def _own_bytes() -> int:
    """Memory in use that is no file's; 0 where the system does not report it."""
    with suppress(OSError):
        _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0


if __name__ == "__main__":
    main(Connection(int(sys.argv[1])))
