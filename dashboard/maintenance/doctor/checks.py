"""The checks, in the order in which their findings are best corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dashboard.maintenance.doctor import host, services, storage
from dashboard.maintenance.doctor.finding import Finding

CHECKS: list[Callable[[], Iterable[Finding]]] = [
    host.files,
    host.permissions,
    host.disk,
    services.database,
    services.users,
    services.broker,
    services.workers_of_each_queue,
    services.sweep,
    services.clocks,
    storage.storage,
    storage.damage,
    host.keys,
    host.names_and_https,
    host.upload_limit,
    host.memory,
]
