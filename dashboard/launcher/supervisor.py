"""The supervisor: broker, database, web server (which sweeps too) and worker started together, monitored, stopped."""

import importlib
import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings

from dashboard.core import home, static_files
from dashboard.core.home import LaunchError

from . import broker, database, forked, health, warm
from .child import Child
from .forked import Forked
from .guard import Guard
from .web import main as serve

READY_S = 60.0
BROKER_READY_S = 15.0
TRIM_EVERY_S = 60.0
WORKER = (
    "worker --pool prefork --concurrency 2 --prefetch-multiplier 1 "
    "--without-gossip --without-mingle --without-heartbeat --loglevel INFO"
)
IMPORTED = (
    *("dashboard.config.wsgi", "dashboard.config.celery", "dashboard.maintenance.cleanup"),
    *("celery.apps.worker", "celery.bin.worker", "celery.concurrency.prefork", "kombu.transport.redis"),
)
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # nosec B104  # only compared with


class Supervisor:
    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report
        self.home = Path(settings.CAIRN_HOME)
        self.children: list[Child] = []  # in the order of starting; stopped in reverse
        self.restart_at: dict[str, float] = {}
        self.stopping = False
        self.stop_requested_at = 0.0
        self.hurry = False
        self.lock: int
        self.listener: socket.socket
        self.guard: Guard

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM; leave no process behind, whatever happens."""
        for number in forked.STOPPING:
            signal.signal(number, self._on_signal)
        home.make_folders(self.home)
        self.lock = home.lock(self.home)
        home.forget_address(self.home)
        self.listener = home.open_port(settings.CAIRN_HOST, settings.CAIRN_PORT)
        self.guard = Guard(keep_open=self.lock)
        try:
            self._bring_up()
            self._watch()
        finally:
            self._take_down()
            self.guard.dismiss()
            os.close(self.lock)

    # -- up

    def _bring_up(self) -> None:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "dashboard.config.settings"),
            "CAIRN_HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),  # parts of uploads never lie in a folder shared with others
        }
        self._start_broker()
        if database.needs_migrations():  # no process may see half a table; without any, all start at once
            self.report("Preparing the database …")
            forked.call(database.migrate)
        forked.call(static_files.collect)
        import_what_they_share()
        for child in self._services():
            self._start(child)
        user = database.local_user()
        self._until(self._web_answers, READY_S, "The web server does not answer.")
        if self.stopping:
            return
        mark = self.home / "run" / "samples-loaded"
        if not mark.exists():
            forked.call(database.load_samples, user)
        path = database.login_path(user)
        self._announce(path, user.get_username())
        if not mark.exists():
            self._start(self._once("samples", database.load_more_samples, user, mark))
        self._start(self._once("compiler", warm.main))  # of the kernels

    def _start_broker(self) -> None:
        if os.environ.get("REDIS_URL"):
            return
        listens_at = home.broker_socket(self.home)
        home.make_private(listens_at.parent)
        os.environ["REDIS_URL"] = broker.url(listens_at)
        argv = broker.command(broker.find_server(), folder=self.home / "broker", socket_path=listens_at)
        child = Child(
            "broker",
            self._log("broker"),
            grace_s=5,
            launch=lambda: broker.start(argv, self._log("broker")),
            check=lambda: broker.answers(listens_at),
        )
        try:
            self._start(child)
            self._until(lambda: broker.answers(listens_at), BROKER_READY_S, "The message broker does not answer.")
        except LaunchError:
            if not broker.set_aside(self.home / "broker"):
                raise
            self.report("The broker's log was damaged and is set aside; the sweep enqueues unfinished jobs again.")
            child.clear_away(self.guard)
            self._start(child)
            self._until(lambda: broker.answers(listens_at), BROKER_READY_S, "The message broker does not answer.")

    def _services(self) -> list[Child]:
        return [
            self._forked("worker", work, grace_s=30, check=health.worker_answers),
            self._forked("web", serve, self.listener, grace_s=8, check=self._web_and_sweep_answer),
        ]

    def _once(self, name: str, work: Callable[..., object], *arguments: Any) -> Child:
        """What is done once, after the first page."""
        return self._forked(name, work, *arguments, grace_s=0, check=lambda: True, once=True)

    def _forked(
        self,
        name: str,
        work: Callable[..., object],
        *arguments: Any,
        grace_s: float,
        check: Callable[[], bool],
        once: bool = False,
    ) -> Child:
        """A child that is forked. Only whoever is given the listener has it, and nothing that shows our own end."""
        log, closed = self._log(name), [self.lock, self.guard.descriptor]
        if self.listener not in arguments:
            closed.append(self.listener.fileno())
        launch = partial(Forked, name, work, *arguments, log=log, closed=closed)
        return Child(name, log, grace_s=grace_s, launch=launch, check=check, once=once)

    def _web_and_sweep_answer(self) -> bool:
        return health.status(*self._web_address()) is not None and health.sweep_answers()

    def _start(self, child: Child) -> None:
        if child not in self.children:
            self.children.append(child)
        child.start(guard=self.guard)

    def _until(self, ready: Callable[[], bool], limit_s: float, complaint: str) -> None:
        """Wait for ``ready``; a child that ends meanwhile is the reason to give up, and its log has the cause."""
        give_up = time.monotonic() + limit_s
        while not self.stopping and not ready():
            ended = next((child for child in self.children if child.exit_code is not None), None)
            if ended:
                raise LaunchError(f"The {ended.name} process ended at once:\n{ended.log_tail()}")
            if time.monotonic() > give_up:
                raise LaunchError(f"{complaint} The end of its log:\n{self.children[-1].log_tail()}")
            time.sleep(0.05)

    def _web_answers(self) -> bool:
        return health.answers(*self._web_address())

    def _web_address(self) -> tuple[str, int]:
        host, port = self.listener.getsockname()[:2]
        return WILDCARDS.get(host, host), port

    def _announce(self, path: str, username: str) -> None:
        host, port = self.listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else WILDCARDS.get(host, host)
        address = f"http://{shown}:{port}"
        home.record_address(self.home, f"{shown}:{port}")
        if host in WILDCARDS:
            self.report("Every device on this network can reach this address, and what is sent is not encrypted.")
        self.report(
            f"\nCairn is running at {address}/\n\n"
            f"  Log in once with:  {address}{path}\n"
            f"  Another link:      {_command()} login_link {username}\n"
            f"  Data and logs:     {self.home}\n"
            f"  Stop:              Ctrl-C\n"
        )

    # -- steady

    def _watch(self) -> None:
        trim_at = time.monotonic() + TRIM_EVERY_S
        while not self.stopping:
            time.sleep(0.2)
            for child in list(self.children):
                self._keep_running(child)
            if time.monotonic() > trim_at:
                trim_at += TRIM_EVERY_S
                for child in self.children:
                    child.trim_log()

    def _keep_running(self, child: Child) -> None:
        """Start again what ended, and what gives no answer, with its whole group: that may not react to SIGTERM."""
        code = child.exit_code
        if code is not None and child.once:
            child.clear_away(self.guard)
            self.children.remove(child)
        elif code is not None or child.hangs:
            how = "gave no answer and was killed" if code is None else f"ended (code {code})"
            child.clear_away(self.guard)
            pause = child.pause_before_restart()
            self.restart_at[child.name] = time.monotonic() + pause
            self.report(f"The {child.name} process {how}. Restart in {pause:g} s. Log: {child.log}")
        elif child.process is None and time.monotonic() > self.restart_at[child.name]:
            self._start(child)

    # -- down

    def _take_down(self) -> None:
        """Web first (nothing new comes in), then the worker (the current job finishes), the broker last."""
        self.stopping = True
        self.listener.close()
        for name in ("compiler", "samples", "web", "worker", "broker"):
            self._stop([child for child in self.children if child.name == name])

    def _stop(self, children: list[Child]) -> None:
        for child in children:
            child.request_stop()
        give_up = time.monotonic() + max((child.grace_s for child in children), default=0)
        while any(child.process and child.exit_code is None for child in children):
            if self.hurry or time.monotonic() > give_up:
                break
            time.sleep(0.02)
        for child in children:
            child.clear_away(self.guard)

    def _on_signal(self, number: int, _frame: object) -> None:
        """The first signal lets every process finish; a second Ctrl-C a while later does not wait for them."""
        now = time.monotonic()
        if not self.stopping or not self.stop_requested_at:
            self.stopping, self.stop_requested_at = True, now
            self.report("\nStopping: the current job may finish. Ctrl-C again to stop at once.")
        elif number == signal.SIGINT and now - self.stop_requested_at > 0.5:
            self.hurry = True

    def _log(self, name: str) -> Path:
        return self.home / "log" / f"{name}.log"


def import_what_they_share() -> None:
    """Import here what every process of Python would import for itself, and nothing large that few of them need."""
    for name in IMPORTED:
        importlib.import_module(name)


def work() -> None:
    """Be the worker."""
    from dashboard.config.celery import app

    app.worker_main(WORKER.split())


def _command() -> str:
    """Return how to call Cairn's commands for this home from here, for people to copy."""
    installed = not (settings.BASE_DIR / "manage.py").exists()
    path = Path(sys.executable).with_name("cairn") if installed else Path(sys.executable)
    parts = [str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)]
    if not installed:
        parts.append("manage.py")
    if "CAIRN_HOME" in os.environ:
        parts.insert(0, f"CAIRN_HOME={shlex.quote(os.environ['CAIRN_HOME'])}")
    return " ".join(parts)
