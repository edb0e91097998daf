"""The checks, in the order in which their findings are best corrected, each run whatever another raises."""

from collections.abc import Callable, Iterable
from functools import partial

from dashboard.maintenance.doctor import host, services, storage
from dashboard.maintenance.doctor.finding import Finding, error

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
    host.plugins,
    host.names_and_https,
    host.upload_limit,
    host.memory,
]


def examine(report: Callable[[str], None] | None = None) -> tuple[list[str], list[Finding]]:
    """Return the names of the checks that ran, and what they found; with ``report`` every stored file is read too.

    Where database and files do not belong together nothing else is examined: it would make a database.
    """
    names, findings = [], []
    checks = [(check.__name__, check) for check in CHECKS]
    if report:
        checks.append(("every_file", partial(storage.every_file, report)))
    for function, check in checks:
        name = function.replace("_", " ")
        names.append(name)
        try:
            findings += list(check())
        except Exception as problem:  # its own error must not hide what the others find
            kind = type(problem).__name__
            findings.append(
                error(
                    "check-failed", f"The check of the {name} ended with {kind}.", "Correct the other findings first."
                )
            )
        if any(finding.code == "installation" for finding in findings):
            break
    return names, findings
