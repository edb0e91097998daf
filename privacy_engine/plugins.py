"""Components of other packages, by their entry points: ``cairn.mechanisms``, ``cairn.metrics``, ``cairn.attacks``,
``cairn.formats``.

They are imported when what there is of their sort is first listed or looked up, in every process, after Cairn's own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from threading import RLock
from typing import Any

from privacy_engine.core.origin import Origin


class Unfit(Exception):
    """Why a component of another package cannot be used, a clause that follows its name."""


@dataclass(frozen=True)
class NotLoaded:
    """An entry point that could not be used: its group and name, its package, and why, a clause."""

    group: str
    name: str
    origin: Origin
    reason: str

    def __str__(self) -> str:
        return f"{self.name} of {self.origin} ({self.group}) {self.reason}"


class Once:
    """Calls ``work`` when it is first called itself, and returns when that is done; other threads wait for it."""

    def __init__(self, work: Callable[[], object] | None = None) -> None:
        self._work, self._lock, self._begun, self._done = work, RLock(), False, work is None

    def __call__(self) -> None:
        if self._done:
            return
        with self._lock:
            if self._begun:  # by this thread: a component that lists the others while it is imported
                return
            self._begun = True
            try:
                if self._work is not None:
                    self._work()
            finally:
                self._begun = False  # what failed fails again, and leaves no half of a list
            self._done = True


class Plugins:
    """The entry points of a group, each given once to ``add`` (which raises :class:`Unfit` where it cannot be used).

    ``package`` registers Cairn's own, which have their names before any other.
    """

    def __init__(self, group: str, add: Callable[[Any, Origin], object], package: str) -> None:
        self._group, self._add, self._package = group, add, package
        self._not_loaded: list[NotLoaded] = []
        self.load = Once(self._load)

    @property
    def not_loaded(self) -> list[NotLoaded]:
        """Those that could not be used."""
        self.load()
        return self._not_loaded

    def _load(self) -> None:
        """Load them; whatever one of them raises is kept and hurts no other."""
        import_module(self._package)
        for entry in sorted(entry_points(group=self._group), key=lambda one: (_origin(one).package, one.name)):
            try:
                self._add(entry.load(), _origin(entry))
            except Unfit as unfit:
                self.refuse(entry.name, _origin(entry), str(unfit))
            except (Exception, SystemExit) as error:
                self.refuse(entry.name, _origin(entry), f"cannot be imported: {type(error).__name__}: {error}")

    def refuse(self, name: str, origin: Origin, reason: str) -> None:
        """Add one to those that cannot be used, and why."""
        self._not_loaded.append(NotLoaded(self._group, name, origin, " ".join(reason.split())))


def _origin(entry: EntryPoint) -> Origin:
    if entry.dist is None:
        return Origin("a package without metadata", "")
    return Origin(entry.dist.name, entry.dist.version)
