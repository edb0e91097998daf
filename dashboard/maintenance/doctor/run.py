"""Run every check, whatever any of them raises."""

from collections.abc import Callable
from functools import partial

from dashboard.maintenance.doctor import storage
from dashboard.maintenance.doctor.checks import CHECKS
from dashboard.maintenance.doctor.finding import Finding, error


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
