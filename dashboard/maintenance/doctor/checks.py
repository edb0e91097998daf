"""The checks, in the order in which their findings are best corrected."""

from collections.abc import Callable, Iterable

from dashboard.maintenance.doctor import host, services, storage
from dashboard.maintenance.doctor.finding import Finding

CHECKS: list[Callable[[], Iterable[Finding]]] = [
    storage.installation_id,
    host.files,
    host.permissions,
    host.disk,
    services.database,
    services.users,
    services.broker,
    services.workers_of_each_queue,
    services.stalled_queues,
    services.sweep,
    services.clocks,
    storage.storage,
    storage.trash_of_the_sweep,
    storage.damage,
    host.keys,
    host.names_and_https,
    host.upload_limit,
    host.memory,
]
