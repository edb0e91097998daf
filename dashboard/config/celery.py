"""The Celery application: messages carry ids; the work is described in the rows (dashboard/jobs/queue.py)."""

import gc
import os
import threading
from typing import Any

from celery import Celery, bootsteps
from celery.signals import task_postrun, worker_init, worker_process_init, worker_shutdown

from dashboard.core.memory import release_free_memory
from dashboard.jobs import slots

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")

app = Celery("cairn")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["dashboard.jobs"])


class Heartbeat(bootsteps.StartStopStep):
    """A step of the consumer of messages: it stops with the connection to the broker and starts again with it."""

    requires = {"celery.worker.consumer.tasks:Tasks"}

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._timers: list[Any] = []

    def start(self, consumer: Any) -> None:
        """Record now, and every few seconds from now on, that this worker answers; and maintain the stored files."""
        from dashboard.jobs import workers
        from dashboard.storage.stored_path import MAINTAIN_EVERY_S, stored_files

        mine = (consumer.hostname, tuple(consumer.app.amqp.queues.consume_from))
        workers.beat(*mine)
        self._timers = [
            consumer.timer.call_repeatedly(workers.BEAT_S, workers.beat, mine),
            # a host of workers alone has no /healthz that does it
            consumer.timer.call_repeatedly(MAINTAIN_EVERY_S, stored_files().maintain, ()),
        ]

    def stop(self, consumer: Any) -> None:
        """Record that it does not answer."""
        from dashboard.jobs import workers

        while self._timers:
            self._timers.pop().cancel()
        workers.stopped(consumer.hostname)


app.steps["consumer"].add(Heartbeat)


class PoolMonitor(bootsteps.StartStopStep):
    """A step of the worker: processes of its pool that hang are killed, until the worker itself has ended."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        slots.share()

    def start(self, worker: Any) -> None:
        """Look at the processes from now on."""
        from dashboard.jobs import monitor

        monitor.watch(slots.every, lambda: worker.pool.info.get("processes", ()))


app.steps["worker"].add(PoolMonitor)


@worker_init.connect
def _require_installation(**_: object) -> None:
    """Do nothing with a database and files that do not belong together."""
    from dashboard.storage import installation

    installation.require_in_server()


@worker_init.connect
def _load_the_engine(**_: object) -> None:
    """Once, before children are forked: each of them would load the kernels again. None is compiled here."""
    from dashboard.config import preload

    preload.load()
    gc.collect()
    gc.freeze()  # the collector would touch, and so copy, what children share


@task_postrun.connect
def _release_memory(**_: object) -> None:
    """What a job needed returns to the operating system."""
    release_free_memory()


@worker_process_init.connect
def _limit_memory(**_: object) -> None:
    """A job that grows without bound dies alone, as a failure with a name, and not with the machine.

    Columns that lie in files are mapped and do not count: ten of 10^8 events take 8 GB of addresses, and little memory.
    """
    import resource

    limit = int(os.environ.get("CAIRN_JOB_MEMORY_MB", "8000")) * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


@worker_process_init.connect
def _enter_the_slot(**_: object) -> None:
    """Show signs of life, and do what is left of the process that this process replaces.

    In a thread: a process that is not up within 4 s is killed, and the database may be away.
    """
    from dashboard.jobs import monitor

    if left := slots.enter(monitor.every_s()):
        threading.Thread(target=monitor.recover, args=(left,), daemon=True, name="recovery").start()


@worker_shutdown.connect
def _recover_the_rest(**_: object) -> None:
    """Processes that were killed while the worker waited for its last jobs are not replaced; nothing forks any more."""
    from dashboard.jobs import monitor

    for slot in slots.every:
        if left := slot.left():
            monitor.recover(left)
