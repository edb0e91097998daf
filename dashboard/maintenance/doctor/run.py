"""Run every check, whatever one of them raises."""

from __future__ import annotations

from dashboard.maintenance.doctor.checks import CHECKS
from dashboard.maintenance.doctor.finding import Finding, error


def examine() -> tuple[list[str], list[Finding]]:
    """Return the names of the checks that ran, and what they found.

    Where database and files do not belong together nothing else is examined: it would make a database.
    """
    names, found = [], []
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        names.append(name)
        try:
            found += list(check())
        except Exception as problem:  # its own error must not hide what the others find
            kind = type(problem).__name__
            found.append(
                error(
                    "check-failed", f"The check of the {name} ended with {kind}.", "Correct the other findings first."
                )
            )
        if any(one.code == "installation" for one in found):
            break
    return names, found
